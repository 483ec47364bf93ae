import {basename, resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {inMebibytes, MAX_BYTES, MAX_MEBIBYTES, MAX_PAYEES, MAX_PLACEHOLDERS} from './verify/bounds.ts';
import {MAX_SECONDS, MAX_SITE_BYTES, MAX_TOTAL_BYTES} from './verify/bounds.ts';
import {endWithoutOutput, rootFolder, standWhereCalled, wrongUsage} from '../shared/command-line.ts';

const HELP = `Checks a site, live or in a folder, or a single document: schemas, figures, digests, signatures, prices, and that paid paths
ask for money. Nothing is bought and nothing is written.

Usage: npm run verify -- [folder | URL | document] [options]

  folder       the site's public/, or the folder that holds it (default: that of --root)
  URL          the origin of a live site, such as https://snapshots.example
  document     the file of a sample or of a paid document

Options:
  --from data       recompute every figure from the frozen rows of data/ and compare
  --free-only       the host sells nothing: paid documents must not be there
  --schema FILE|URL the JSON Schema of a document
  --site FOLDER|URL the site that a document was bought from: its catalogue says which bytes those are
  --root DIR        the folder that holds data/, public/ and paywall/rules/ (default: this project); each rule of the
                    _redirects of its public/ is tried on a live site
  --timeout S       seconds that a request may take (default: 10)
  --limit S         seconds that everything may take (default: 600)
  --all             a line for every check
  --json            the checks for programs on standard output
  --help            this text

Whoever wrote the site may want to hold this program up. So at most ${inMebibytes(MAX_BYTES)} are read of a document, ${inMebibytes(MAX_SITE_BYTES)} of
the catalogue, the rules and a page, 64 KiB of headers and ${MAX_TOTAL_BYTES / 1024 ** 3} GiB of all answers together; looking at one product, at the
catalogue or at the rules takes at most ${MAX_SECONDS} s and ${MAX_MEBIBYTES} MiB in a process of its own; a site is paid on at most ${MAX_PAYEES}
networks, and a rule of its _redirects has at most ${MAX_PLACEHOLDERS} placeholders. What needs more has failed. After --limit nothing
more is looked at, and what is left has failed as well.

Exit codes: 0 everything checked is fine, 1 something is not, 2 wrong usage.

Example: npm run verify -- https://snapshots.example --from data
`;

const options = {
  from: {type: 'string'},
  'free-only': {type: 'boolean', default: false},
  schema: {type: 'string'},
  site: {type: 'string'},
  root: {type: 'string', default: resolve(import.meta.dirname, '..')},
  timeout: {type: 'string', default: '10'},
  limit: {type: 'string', default: '600'},
  all: {type: 'boolean', default: false},
  json: {type: 'boolean', default: false},
  help: {type: 'boolean', short: 'h', default: false},
} as const;

type Flags = ReturnType<typeof read>;

/** Exit code: 0 everything checked is fine, 1 something is not, 2 wrong usage. */
export async function main(args: string[]): Promise<0 | 1 | 2> {
  standWhereCalled('verify');
  endWithoutOutput();
  let flags: Flags;
  try {
    flags = read(args);
  } catch (error) {
    process.stderr.write(wrongUsage(error));
    return 2;
  }
  if (flags.help) {
    process.stdout.write(HELP);
    return 0;
  }
  return run(flags);
}

async function run({target, all, json, ...wanted}: Flags): Promise<0 | 1> {
  // Loaded here so that --help does not wait for them.
  const [
    {InputError},
    {verify},
    {tableOf, verdictForPrograms, verdictOf},
    {isFine},
    {printable},
    {shownAddress},
    {StatusLine},
    {faultLines, faultsForPrograms},
  ] = await Promise.all([
    import('../shared/fault.ts'),
    import('./verify/verify.ts'),
    import('./verify/report.ts'),
    import('./verify/check.ts'),
    import('../shared/printable.ts'),
    import('../shared/shown-address.ts'),
    import('./terminal/status-line.ts'),
    import('./terminal/faults.ts'),
  ]);
  const line = new StatusLine(process.stderr);
  const named = shownAddress(target);
  const onProduct = (name: string, at: number, of: number) => {
    line.show(() => `${at} of ${of}  ${printable(name)}`);
  };
  try {
    const checks = await verify({target, ...wanted, onProduct});
    line.end();
    const seconds = Math.round(performance.now()) / 1000;
    const text = json
      ? JSON.stringify(verdictForPrograms(named, checks, seconds), null, 2)
      : [tableOf(checks, all), '', verdictOf(printable(named), checks, seconds)].join('\n');
    process.stdout.write(`${text}\n`);
    return isFine(checks) ? 0 : 1;
  } catch (error) {
    line.end();
    if (!(error instanceof InputError)) throw error;
    if (json) process.stdout.write(`${JSON.stringify({target: named, ...faultsForPrograms(error)}, null, 2)}\n`);
    process.stderr.write(`${faultLines(error)}\n`);
    return 1;
  }
}

/** The flags, complete. Throws where they are wrong. */
function read(args: string[]) {
  const {values, positionals} = parseArgs({args, options, allowPositionals: true});
  const root = values.help ? values.root : rootFolder(values.root);
  const isRootGiven = values.root !== options.root.default;
  const [target = isRootGiven ? values.root : root, ...more] = positionals;
  if (more.length > 0) throw new Error(`One thing at a time, and "${more.join(' ')}" is more.`);
  const from = values.from === undefined ? undefined : resolve(isRootGiven ? root : '', values.from);
  if (from !== undefined && basename(from) !== 'data') throw new Error('--from takes a folder named data.');
  return {
    target,
    root,
    from,
    freeOnly: values['free-only'],
    schema: values.schema,
    site: values.site,
    timeout: seconds('--timeout', values.timeout),
    limit: seconds('--limit', values.limit),
    all: values.all,
    json: values.json,
    help: values.help,
  };
}

function seconds(flag: string, text: string): number {
  const number = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && number > 0 && number <= 86_400) return number;
  throw new Error(`${flag} takes seconds, from above 0 to 86400, and not "${text}".`);
}
