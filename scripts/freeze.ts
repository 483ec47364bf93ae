import {Command, Option} from '@commander-js/extra-typings';
import {buildCommand, siteRoot} from '../shared/command-line.ts';
import {InputError} from '../shared/fault.ts';
import {collected, rootOption, wholeNumber, type Run} from './terminal/command.ts';
import {refuseGiven} from './terminal/refuse-given.ts';

const MEBIBYTE = 1024 * 1024;
const DAY = 86_400;
/** Lines above a header are looked for at the beginning of a file. */
const MOST_LINES = 10_000;

/** The columns of `--key`, false for `--no-key`, or 'both', which is a usage error. */
type Key = readonly string[] | false | 'both';

/** `frozen freeze`. Exit code: 0 frozen, 1 refused and nothing written. */
export const freeze = (run: Run) =>
  new Command('freeze')
    .summary('take a list into a new dated freeze')
    .description(
      `Takes a list into a new dated freeze: data/sources/<source>/<date>/.

The files are CSV, NDJSON, JSON or Parquet, plain or with .gz, and are kept byte for byte, except for a header that --header-row or --columns changes. Next to them is datapackage.json with digest, size, row count and a schema: inferred the first time, that of the last freeze afterwards. Nothing is overwritten, but with --replace a freeze that was never committed.`,
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
      'the primary key; more than once for one of several columns (default: the column whose name and values show it)',
      (text: string, before: Key | undefined): Key =>
        before === false || before === 'both' ? 'both' : collected(text, before),
    )
    .addOption(
      new Option('--no-key', 'where no column tells rows apart').argParser((_, before: Key | undefined): Key =>
        before ? 'both' : false,
      ),
    )
    .option('--delimiter <char>', 'of CSV: , ; | or tab (default: the one that header and rows agree on)')
    .option(
      '--header-row <n>',
      'of CSV: the line of the header; the lines above it are not frozen',
      wholeNumber(MOST_LINES),
    )
    .option(
      '--columns <names>',
      'of CSV: the names of the columns, if there is no header; with --header-row, in its place',
    )
    .option('--rows <member>', 'of JSON: the member that holds the list, a.b where it stands in another')
    .option('--add-column <name>', 'add this new column of the list to the schema of the last freeze', collected)
    .option('--add-class <value>', 'add this class to it; COLUMN=VALUE if it occurs in several columns', collected)
    .option(
      '--new-schema',
      'infer a schema anew, where the list may break that of the last freeze; keeps key, types and patterns that fit',
    )
    .option(
      '--describe <words>',
      "say what a column is: COLUMN.title=…, COLUMN.description=… or COLUMN.unit=…; carried over, '' removes it",
      collected,
    )
    .option(
      '--missing <text>',
      'a text that stands for a missing value, such as NA; more than once for several; carried over from freeze to freeze',
      collected,
    )
    .option('--allow-shrink', 'accept an empty list, or one with less than half of the rows of the previous freeze')
    .option('--new-source', 'accept a new source whose name is close to that of an existing one')
    .option('--max-mib <n>', 'MiB that a downloaded file may have', wholeNumber(MEBIBYTE), 4096)
    .option('--timeout <s>', 'seconds without data that end a download', wholeNumber(DAY), 60)
    .option('--limit <s>', 'seconds that the download of a file may take', wholeNumber(DAY), 3600)
    .option('--replace', 'replace the freeze of this date, unless git knows a commit that holds it')
    .option('--dry-run', 'show everything, write nothing')
    .addOption(rootOption('data/'))
    .option('--json', 'the facts for programs on standard output')
    .addHelpText(
      'after',
      `
Exit codes: 0 frozen, 1 the list or an option was refused and nothing was written, 2 wrong usage.

Examples:
  frozen freeze deny-list lists/deny-list.csv --as-of 2026-06-01
  frozen freeze countries countries.csv --key cca3 --describe area.title=Area --describe area.unit=km²
  frozen freeze deny-list lists/deny-list.csv --add-column family --add-class withdrawn
`,
    )
    .action((source, files, options, command) =>
      run(options, async ({out, line}) => {
        const {
          asOf: as_of,
          json,
          maxMib,
          timeout,
          limit,
          replace = false,
          dryRun = false,
          newSchema = false,
          allowShrink = false,
          newSource = false,
          key: keys = [],
          addColumn: addColumns = [],
          addClass: addClasses = [],
          describe = [],
          missing = [],
          ...texts
        } = options;
        const root = siteRoot(options.root);
        const [{confirmSource}, {isAddress}, {freeze}, {orderOf}, {reportForPrograms, reportOf}] = await Promise.all([
          import('./freeze/source-name.ts'),
          import('./freeze/download.ts'),
          import('./freeze/freeze.ts'),
          import('./freeze/order.ts'),
          import('./freeze/report.ts'),
        ]);
        if (!files.some(isAddress))
          refuseGiven(command, ['maxMib', 'timeout', 'limit'], 'has no effect without a file to download (https:)');
        const limits = {maxBytes: maxMib * MEBIBYTE, timeout, limit};
        if (keys === 'both')
          throw new InputError({file: '--no-key', rule: 'cannot be used with --key'}, {ofUsage: true});
        const key = keys || [];
        const schema = {key, noKey: keys === false, newSchema, addColumns, addClasses, describe, missing};
        const order = orderOf(
          {...texts, ...schema, root, source, files, as_of, replace, dryRun, allowShrink, newSource, limits},
          new Date(),
        );
        await confirmSource(order, !json);
        const frozen = await freeze(order, line);
        const how = {dryRun, seconds: Math.round(performance.now()) / 1000, next: buildCommand(root)};
        line.end();
        out.write(`${json ? JSON.stringify(reportForPrograms(frozen, how), null, 2) : reportOf(frozen, how)}\n`);
        return 0;
      }),
    );
