import {Command, Option} from '@commander-js/extra-typings';
import {siteRoot} from '../shared/command-line.ts';
import {collected, jsonOption, rootOption, wholeNumber, type Run} from './terminal/command.ts';
import {refuseIgnored} from './terminal/refuse-ignored.ts';

const MOST_MIB = 1024 * 1024;
const DAY = 86_400;
/** The header is searched only at the beginning of a file. */
const MOST_LINES = 10_000;

/** The columns of `--primary-key`, false for `--no-primary-key`, or 'both', which is a usage error. */
type Key = readonly string[] | false | 'both';

/** The command with the options that describe the list and its files. */
const listCommand = () =>
  new Command('freeze')
    .summary('freeze a list under its date')
    .description(
      `Freezes a list: copies it into data/sources/<source>/<date>/.

The files are CSV, NDJSON, JSON or Parquet, plain or compressed (.gz), and are copied byte for byte, unless --header-row or --columns changes the header. Next to them, datapackage.json contains the digest, size, number of rows and schema. The first freeze infers the schema. Later freezes use the schema of the freeze before. Existing freezes are not overwritten, except with --replace if the freeze was never committed.`,
    )
    .argument('<source>', 'the name of the source')
    .argument('<files...>', 'the files of the list, or https: addresses')
    .option('--as-of <time>', 'the time that the snapshot describes, in UTC (default: now); its date names the folder')
    .option('--created <time>', 'when the list was made (default: the newest modification time of the files)')
    .option('--title <text>', 'the title of the source. Later freezes keep title, description, licence and attribution')
    .option('--description <text>', 'the description of the source')
    .option('--license <name>', 'the licence of the source, such as CC0-1.0, or its address')
    .option('--attribution <text>', 'the origin of the source: a name, an address, or both')
    .option(
      '--primary-key <column>',
      'a column of the primary key; repeat it for several columns (default: found by name and values)',
      (text: string, before: Key | undefined): Key =>
        before === false || before === 'both' ? 'both' : collected(text, before),
    )
    .addOption(
      new Option('--no-primary-key', 'accept a list whose columns do not identify its rows').argParser(
        (_, before: Key | undefined): Key => (before ? 'both' : false),
      ),
    )
    .option('--delimiter <char>', 'the delimiter of CSV: , ; | or tab (default: the one that fits header and rows)')
    .option(
      '--header-row <n>',
      'the line number of the CSV header; lines above it are not frozen',
      wholeNumber(MOST_LINES),
    )
    .option(
      '--columns <names>',
      'the column names of a CSV file without a header; with --header-row, they replace the header',
    )
    .option('--property <member>', 'the JSON member with the list; write a.b for the member b of a');

const declaration = () =>
  listCommand()
    .option('--add-column <name>', 'add a new column of the list to the schema of the last freeze', collected)
    .option(
      '--add-class <value>',
      'add a class to the schema of the last freeze; write COLUMN=VALUE if several columns have classes',
      collected,
    )
    .option(
      '--new-schema',
      'infer a new schema; key, types, patterns and classes of the last freeze that still fit are kept',
    )
    .option(
      '--describe <words>',
      "describe a column: COLUMN.title=…, COLUMN.description=… or COLUMN.unit=…; later freezes keep it, '' removes it",
      collected,
    )
    .option(
      '--missing <text>',
      'a text that means a missing value, such as NA; repeat it for several; later freezes keep it',
      collected,
    )
    .option('--allow-shrink', 'accept an empty list, or one with fewer than half of the rows of the previous freeze')
    .option('--new-source', 'accept a new source whose name is close to that of an existing one')
    .option('--max-mib <n>', 'the maximum size of a download, in MiB', wholeNumber(MOST_MIB), 4096)
    .option('--total-timeout <seconds>', 'stop a download after this many seconds in total', wholeNumber(DAY), 3600)
    .option('--replace', 'replace the freeze of this date, if no commit contains it')
    .option('--dry-run', 'show what would be frozen, and write nothing')
    .addOption(rootOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Exit codes: 0 frozen, 1 the list was refused without writing anything, 2 wrong usage.

Examples:
  frozen freeze deny-list lists/deny-list.csv --as-of 2026-06-01
  frozen freeze countries countries.csv --primary-key cca3 --describe area.title=Area --describe area.unit=km²
  frozen freeze deny-list lists/deny-list.csv --add-column family --add-class withdrawn
`,
    );

export type FreezeOptions = ReturnType<ReturnType<typeof declaration>['opts']>;

export const freeze = (run: Run) =>
  declaration().action((source, files, options, command) =>
    run(options, async terminal => {
      const root = siteRoot(options.root);
      const [{isAddress}, {freeze}, {orderOf}, {reportForPrograms, reportOf}] = await Promise.all([
        import('./freeze/download.ts'),
        import('./freeze/freeze.ts'),
        import('./freeze/order.ts'),
        import('./freeze/report.ts'),
      ]);
      const isDownload = files.some(isAddress);
      refuseIgnored(command, [
        !isDownload,
        ['--max-mib', '--total-timeout'],
        {requires: 'a file to download (https:)'},
      ]);
      const order = orderOf(options, {root, source, files}, new Date());
      const frozen = await freeze(order, terminal.line);
      const how = {dryRun: order.dryRun, seconds: Math.round(performance.now()) / 1000};
      terminal.print(reportForPrograms(frozen, how), reportOf(frozen, how));
    }),
  );
