import {Command} from '@commander-js/extra-typings';
import {buildCommand, siteRoot} from '../shared/command-line.ts';
import {collected, rootOption, wholeNumber, type Run} from './terminal/command.ts';

const MEBIBYTE = 1024 * 1024;
const DAY = 86_400;

/** `frozen freeze`. Exit code: 0 frozen, 1 refused and nothing written. */
export const freeze = (run: Run) =>
  new Command('freeze')
    .summary('take a list into a new dated freeze')
    .description(
      `Takes a list into a new dated freeze: data/sources/<source>/<date>/.

The files are CSV, NDJSON, JSON or Parquet, plain or with .gz, and are kept byte for byte. Beside them goes datapackage.json with digest, size, row count and a schema: inferred the first time, that of the last freeze afterwards. Nothing is ever overwritten.`,
    )
    .argument('<source>', 'its name')
    .argument('<files...>', 'files, or https: addresses')
    .option('--as-of <moment>', 'the moment the snapshot is fixed at, in UTC (default: now); its date names the folder')
    .option('--created <moment>', 'when the list was made (default: the newest modification time of the files)')
    .option('--title <text>', 'of the source; carried over from freeze to freeze, as are the next two')
    .option('--description <text>', 'of the source')
    .option('--license <name>', 'of the source')
    .option(
      '--key <column>',
      'the primary key; more than once for one of several columns (default: a text column without doubles)',
      collected,
    )
    .option('--delimiter <char>', 'of CSV: , ; | or tab (default: the one that the header shows)')
    .option('--new-schema', 'infer a schema anew, where the list may break that of the last freeze')
    .option('--max-mib <n>', 'MiB that a downloaded file may have', wholeNumber(MEBIBYTE), 4096)
    .option('--timeout <s>', 'seconds without data that end a download', wholeNumber(DAY), 60)
    .option('--limit <s>', 'seconds that the download of a file may take', wholeNumber(DAY), 3600)
    .option('--dry-run', 'show everything, write nothing')
    .addOption(rootOption('data/'))
    .option('--json', 'the facts for programs on standard output')
    .addHelpText(
      'after',
      `
Exit codes: 0 frozen, 1 the list or an option was refused and nothing was written, 2 wrong usage.

Example: frozen freeze deny-list lists/deny-list.csv --as-of 2026-06-01
`,
    )
    .action((source, files, options) =>
      run(options, async ({out, line}) => {
        const {
          asOf: as_of,
          json,
          maxMib,
          timeout,
          limit,
          dryRun = false,
          newSchema = false,
          key = [],
          ...texts
        } = options;
        const root = siteRoot(options.root);
        const [{freeze}, {orderOf}, {reportForPrograms, reportOf}] = await Promise.all([
          import('./freeze/freeze.ts'),
          import('./freeze/order.ts'),
          import('./freeze/report.ts'),
        ]);
        const limits = {maxBytes: maxMib * MEBIBYTE, timeout, limit};
        const order = orderOf({...texts, root, source, files, as_of, key, newSchema, dryRun, limits}, new Date());
        const frozen = await freeze(order, line);
        const how = {dryRun, seconds: Math.round(performance.now()) / 1000, next: buildCommand(root)};
        line.end();
        out.write(`${json ? JSON.stringify(reportForPrograms(frozen, how), null, 2) : reportOf(frozen, how)}\n`);
        return 0;
      }),
    );
