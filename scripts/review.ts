import {Command, Option} from '@commander-js/extra-typings';
import {siteRoot} from '../shared/command-line.ts';
import {InputError} from '../shared/fault.ts';
import {checked, rootOption, type Run} from './terminal/command.ts';
import {refuseIgnored} from './terminal/refuse-ignored.ts';

const FORMATS = ['terminal', 'markdown', 'json'] as const;

/** `frozen review`. Exit code: 0 fine, 1 a broken promise, a stale build or a state that cannot be read. */
export const review = (run: Run) =>
  new Command('review')
    .summary('tell what buyers will see change')
    .description(
      `Answers "what will buyers see change?": prices, dates, figures, rows, texts, schemas and rules of the generated documents, between two states of the site's git repository.`,
    )
    .option('--base <rev>', 'the state before', checked(revision), 'HEAD')
    .option('--head <rev>', 'the state after (default: the files on disk, built but not committed)', checked(revision))
    .addOption(
      new Option('--format <form>', 'markdown is for a pull request').choices(FORMATS).default('terminal' as const),
    )
    .option('--json', 'the same as --format json')
    .option('--rows <n>', 'show up to n rows and list entries of each kind, count the rest', checked(count), 5)
    .addOption(rootOption('public/ and paywall/rules/'))
    .addHelpText(
      'after',
      `
Exit codes: 0 fine, 1 a promise to buyers is broken, the build is stale or a state cannot be read, 2 wrong usage.
Promises: what was sold at one as_of stays as it was, v1 never changes so that programs break,
v1 sells what it sold, the chain of a source only grows.

Example: frozen review --base v1.4 --head main --format markdown
`,
    )
    .action((options, command) => {
      const format = options.json ? 'json' : options.format;
      return run({json: format === 'json'}, async ({out, line}) => {
        refuseIgnored(command, {'--format': {without: ['--json']}});
        const [{review}, {isBroken, json}, {terminal}, {markdown, faultMarkdown}] = await Promise.all([
          import('./review/review.ts'),
          import('./review/report.ts'),
          import('./review/terminal.ts'),
          import('./review/markdown.ts'),
        ]);
        const onProducts = (done: number, of: number) => {
          line.show(() => `${done} of ${of} products compared`);
        };
        try {
          const {base, head, rows} = options;
          const made = await review({root: siteRoot(options.root), base, head, rows, onProducts});
          line.end();
          out.write({terminal, markdown, json}[format](made));
          return isBroken(made) ? 1 : 0;
        } catch (error) {
          if (error instanceof InputError && format === 'markdown') out.write(faultMarkdown(error.faults));
          throw error;
        }
      });
    });

function revision(text: string): string {
  if (text === '') throw new Error('It is empty.');
  return text;
}

function count(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new Error('It is no number of rows.');
  return Number(text);
}
