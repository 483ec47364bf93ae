import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {InputError} from '../shared/fault.ts';
import {endWithoutOutput, rootFolder, standWhereCalled, wrongUsage} from '../shared/command-line.ts';

const FORMATS = ['terminal', 'markdown', 'json'] as const;
const ROWS = 5;

const HELP = `Answers "what will buyers see change?": prices, dates, figures, rows, texts, schemas and rules of the
generated documents, between two states of the site's git repository.

Usage: npm run review -- [options]

Options:
  --base REV     the state before (default: HEAD)
  --head REV     the state after (default: the files on disk, built but not committed)
  --format FORM  terminal, markdown (for a pull request) or json (default: terminal)
  --json         the same as --format json
  --rows N       show up to N rows and list entries of each kind, count the rest (default: ${ROWS})
  --root DIR     the folder that holds public/ and paywall/rules/ (default: this project)
  --help         this text

Exit codes: 0 fine, 1 a promise to buyers is broken or a state cannot be read, 2 wrong usage.
Promises: what was sold at one as_of stays as it was, v1 never changes so that programs break, v1 sells what it sold.

Example: npm run review -- --base v1.4 --head main --format markdown
`;

interface Flags {
  readonly root: string;
  readonly base: string;
  readonly head: string | undefined;
  readonly format: (typeof FORMATS)[number];
  readonly rows: number;
}

/** Exit code: 0 fine, 1 a broken promise or a state that cannot be read, 2 wrong usage. */
export async function main(args: string[]): Promise<0 | 1 | 2> {
  standWhereCalled('review');
  endWithoutOutput();
  let flags: Flags | undefined;
  try {
    flags = usage(args);
  } catch (error) {
    process.stderr.write(wrongUsage(error));
    return 2;
  }
  if (flags === undefined) {
    process.stdout.write(HELP);
    return 0;
  }
  return run(flags);
}

/** Everything heavy is loaded here, so that --help does not wait for it. */
async function run({format, ...options}: Flags): Promise<0 | 1> {
  const [{review}, {isBroken}, {StatusLine}] = await Promise.all([
    import('./review/review.ts'),
    import('./review/report.ts'),
    import('./terminal/status-line.ts'),
  ]);
  const line = new StatusLine(process.stderr);
  const onProducts = (done: number, of: number) => {
    line.show(() => `${done} of ${of} products compared`);
  };
  try {
    const made = await review({...options, onProducts}).finally(() => {
      line.end();
    });
    const {[format]: render} = {
      ...(await import('./review/terminal.ts')),
      ...(await import('./review/markdown.ts')),
      ...(await import('./review/json.ts')),
    };
    process.stdout.write(render(made));
    return isBroken(made) ? 1 : 0;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    await tell(error, format);
    return 1;
  }
}

/** What is wrong, on standard error; and in the form asked for, for whoever reads standard output. */
async function tell(error: InputError, format: Flags['format']): Promise<void> {
  const {faultLines, faultsForPrograms} = await import('./terminal/faults.ts');
  process.stderr.write(`${faultLines(error)}\n`);
  if (format === 'json') process.stdout.write(`${JSON.stringify(faultsForPrograms(error), null, 2)}\n`);
  if (format === 'markdown') process.stdout.write((await import('./review/markdown.ts')).faultMarkdown(error.faults));
}

/** The flags; none where help is asked for. Throws where they are wrong. */
function usage(args: string[]): Flags | undefined {
  const {values} = parseArgs({
    args,
    options: {
      base: {type: 'string', default: 'HEAD'},
      head: {type: 'string'},
      format: {type: 'string', default: 'terminal'},
      json: {type: 'boolean'},
      rows: {type: 'string', default: String(ROWS)},
      root: {type: 'string', default: fileURLToPath(new URL('..', import.meta.url))},
      help: {type: 'boolean', short: 'h'},
    },
  });
  const {base, head, help, json, root, rows} = values;
  if (help) return undefined;
  if (base === '' || head === '') throw new Error('A revision is empty.');
  if (!/^\d{1,6}$/.test(rows)) throw new Error(`--rows "${rows}" is not a number of rows.`);
  const format = json ? 'json' : FORMATS.find(name => name === values.format);
  if (!format) throw new Error(`--format "${values.format}" is not one of ${FORMATS.join(', ')}.`);
  return {root: rootFolder(root), base, head, format, rows: Number(rows)};
}
