import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {InputError} from '../shared/fault.ts';
import {DEFAULTS, limitsOf} from './freeze/limits.ts';
import type {Wishes} from './freeze/order.ts';
import {buildCommand, endWithoutOutput, rootFolder, standWhereCalled, wrongUsage} from '../shared/command-line.ts';

const help = `Takes a list into a new dated freeze: data/sources/<source>/<date>/.

Usage: npm run freeze -- <source> <file or https: address>... [options]

The files are CSV, NDJSON, JSON or Parquet, plain or with .gz, and are kept byte for byte. Beside them goes datapackage.json with
digest, size, row count and a schema: inferred the first time, that of the last freeze afterwards. Nothing is ever overwritten.

  --as-of MOMENT      the moment the snapshot is fixed at, in UTC (default: now); its date names the folder
  --created MOMENT    when the list was made (default: the newest modification time of the files)
  --title TEXT        of the source, as --description TEXT and --license NAME; all are carried over from freeze to freeze
  --key COLUMN        the primary key; more than once for one of several columns (default: a text column without doubles)
  --delimiter CHAR    of CSV: , ; | or tab (default: the one that the header shows)
  --new-schema        infer a schema anew, where the list may break that of the last freeze
  --max-mib N         MiB that a downloaded file may have (default: ${DEFAULTS['max-mib']})
  --timeout S         seconds without data that end a download (default: ${DEFAULTS.timeout})
  --limit S           seconds that the download of a file may take (default: ${DEFAULTS.limit})
  --dry-run           show everything, write nothing
  --root DIR          the folder that holds data/ (default: this project)
  --json              the facts for programs on standard output
  --help

Exit codes: 0 frozen, 1 the list or an option was refused and nothing was written, 2 wrong usage.

Example: npm run freeze -- deny-list lists/deny-list.csv --as-of 2026-06-01
`;

const options = {
  'as-of': {type: 'string'},
  created: {type: 'string'},
  title: {type: 'string'},
  description: {type: 'string'},
  license: {type: 'string'},
  key: {type: 'string', multiple: true},
  delimiter: {type: 'string'},
  'max-mib': {type: 'string', default: DEFAULTS['max-mib']},
  timeout: {type: 'string', default: DEFAULTS.timeout},
  limit: {type: 'string', default: DEFAULTS.limit},
  'new-schema': {type: 'boolean', default: false},
  'dry-run': {type: 'boolean', default: false},
  root: {type: 'string', default: resolve(import.meta.dirname, '..')},
  json: {type: 'boolean', default: false},
  help: {type: 'boolean', short: 'h', default: false},
} as const;

/** Exit code: 0 frozen, 1 refused and nothing written, 2 wrong usage. */
export async function main(args: string[]): Promise<number> {
  standWhereCalled('freeze');
  endWithoutOutput();
  const parsed = parse(args);
  if (!parsed) return 2;
  if (!parsed.values.help) return await run(wishesOf(parsed), parsed.values.json);
  process.stdout.write(help);
  return 0;
}

type Parsed = NonNullable<ReturnType<typeof parse>>;

function parse(args: string[]) {
  try {
    const {values, positionals} = parseArgs({args, options, allowPositionals: true});
    if (values.help) return {values, positionals, limits: limitsOf(DEFAULTS)};
    if (positionals.length < 2) throw new Error('A source and at least one file are needed.');
    return {values: {...values, root: rootFolder(values.root)}, positionals, limits: limitsOf(values)};
  } catch (error) {
    process.stderr.write(wrongUsage(error));
    return undefined;
  }
}

function wishesOf({values, limits, positionals: [source = '', ...files]}: Parsed): Wishes {
  const {title, description, license, created, delimiter, key = []} = values;
  const texts = {title, description, license, created, delimiter, key};
  const flags = {newSchema: values['new-schema'], dryRun: values['dry-run']};
  return {...texts, ...flags, limits, root: values.root, source, files, as_of: values['as-of']};
}

async function run(wishes: Wishes, json: boolean): Promise<0 | 1> {
  // Loaded here so that --help does not wait for them.
  const [{freeze}, {orderOf}, {Progress}, {faultLines, faultsForPrograms}, {reportForPrograms, reportOf}] =
    await Promise.all([
      import('./freeze/freeze.ts'),
      import('./freeze/order.ts'),
      import('./freeze/progress.ts'),
      import('./terminal/faults.ts'),
      import('./freeze/report.ts'),
    ]);
  const progress = new Progress(process.stderr);
  try {
    const frozen = await freeze(orderOf(wishes, new Date()), progress);
    progress.end();
    const seconds = Math.round(performance.now()) / 1000;
    const how = {dryRun: wishes.dryRun, seconds, next: buildCommand(wishes.root)};
    const text = json ? JSON.stringify(reportForPrograms(frozen, how), null, 2) : reportOf(frozen, how);
    process.stdout.write(`${text}\n`);
    return 0;
  } catch (error) {
    progress.end();
    if (!(error instanceof InputError)) throw error;
    console.error(faultLines(error));
    if (json) process.stdout.write(`${JSON.stringify(faultsForPrograms(error), null, 2)}\n`);
    return 1;
  }
}
