import {Command, Option} from '@commander-js/extra-typings';
import {siteRoot} from '../shared/command-line.ts';
import {InputError} from '../shared/fault.ts';
import {checked, jsonOption, rootOption, type Run} from './terminal/command.ts';

const FORMATS = ['terminal', 'markdown'] as const;

export const review = (run: Run) =>
  new Command('review')
    .summary('show what will change for buyers')
    .description(
      `Shows what will change for buyers between two revisions of the site's git repository: prices, dates, figures, rows, texts, schemas and rules.`,
    )
    .option('--base <rev>', 'the revision before the change', 'HEAD')
    .option('--head <rev>', 'the revision after the change (default: the files on disk)')
    .addOption(
      new Option('--format <form>', 'the output format; markdown is for a pull request')
        .choices(FORMATS)
        .default('terminal' as const)
        .conflicts('json'),
    )
    .addOption(jsonOption())
    .option(
      '--max-rows <n>',
      'show at most n added, n removed and n changed rows, and n entries of each list; count the rest',
      checked(count),
      5,
    )
    .addOption(rootOption())
    .addHelpText(
      'after',
      `
Exit codes: 0 no promise is broken, 1 a promise to buyers is broken, the build is stale or a revision cannot be read, 2 wrong usage.
The promises: a published document never changes under the same as_of, schemas of v1 do not change in a way that
breaks programs, products stay for sale, and the chain of a source only grows.

Example: frozen review --base v1.4 --head main --format markdown
`,
    )
    .action(options => {
      const format = options.json ? 'json' : options.format;
      return run({json: format === 'json'}, async ({out, line}) => {
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
          const {base, head, maxRows: rows} = options;
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

function count(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new Error('Expected a number of rows.');
  return Number(text);
}
