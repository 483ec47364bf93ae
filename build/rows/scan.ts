import {InputError, mapAll, refuse, type Fault} from '../../shared/fault.ts';
import type {Database} from './database.ts';
import {findFaults, refuseExtraValues} from './faults/find-faults.ts';
import {paths} from './formats.ts';
import {chunksOf, textLines} from './lines.ts';
import {measure, valueBytes} from './measures.ts';
import type {List} from './relation.ts';
import {checksOf} from './rules.ts';
import {survey, type Survey} from './survey.ts';
import type {Table, Measure, Read, RowRule} from './table.ts';
import {parquetFaults} from './parquet-form.ts';
import {literal, messageOf} from './sql.ts';

/** The measures and row checks of a scan. */
export interface Questions {
  readonly measures: readonly Measure<unknown>[];
  /** Checks of every row in addition to the Table Schema. */
  readonly rules: readonly RowRule[];
}

/**
 * Reads the rows of a freeze in one pass, which checks every row and takes all measures. Throws `InputError` with the location of every row
 * that fails, which further passes find.
 * @param known the survey of the files, if it was already made
 */
export async function scan(
  database: Database,
  table: Table,
  questions: readonly Questions[],
  known?: Survey,
): Promise<Read> {
  const list = {database, table};
  const surveyed = known ?? (await survey(table.freeze, table.fields.length));
  await checkForm(list);
  const further = questions.flatMap(({rules}) => rules);
  const checks = checksOf(table, further);
  const measures = [
    table.count(),
    ...(table.freeze.format === 'csv' ? [valueBytes(table)] : []),
    ...checks.flatMap(({measures}) => measures),
    ...questions.flatMap(({measures}) => measures),
  ];
  const {read, isWhole} = await measure(list, measures, surveyed).catch(async (cause: unknown) => {
    throw await findFaults(list, checks, {cause: cause as Error});
  });
  const broken = checks.filter(check => !check.holds(read));
  if (broken.length > 0) {
    const error = await findFaults(list, broken);
    if (error.faults.length > 0) throw error;
    // An uncertain check can fail although no row breaks it, for example if two keys share a hash. Other checks count the rows.
    const certain = broken.filter(({isUncertain}) => !isUncertain).map(({rule}) => rule);
    if (certain.length > 0) throw new Error(`no row breaks "${certain.join('", "')}"`);
  }
  await refuseExtraValues(list, read, surveyed.bytes);
  const rows = read(table.count());
  if (!isWhole) refuseLoss(list, rows, table.freeze.format === 'parquet' ? await footerRows(list) : surveyed.rows);
  const {descriptor: file, rows: value} = table.freeze;
  if (value === undefined || value === rows) return read;
  const rule = `is not the number of rows read, ${rows}`;
  throw new InputError({code: 'FZ110', file, field: 'resources[0].rows', value, rule});
}

/** Refuses a list if DuckDB read another number of records than its files contain: it skips some unreadable ones without an error. */
function refuseLoss({table: {freeze}}: List, read: number, rows: number | undefined): void {
  if (rows === undefined || rows === read) return;
  const [file = freeze.folder, ...others] = freeze.files;
  const rule = `${others.length > 0 ? 'and the files after it have' : 'has'} ${rows} rows, of which ${read} can be read: look for line ends and quotation marks that are not CSV (RFC 4180)`;
  throw new InputError({code: 'FZ105', file, rule});
}

/** Checks a table before rows are read: that its patterns compile, and that files are complete and have the schema's columns. */
async function checkForm(list: List): Promise<void> {
  refuse(await patternFaults(list));
  // NDJSON names the columns in every row, and a list without rows is an empty file.
  const faultsIn = {
    csv: headerFaults,
    ndjson: undefined,
    json: endFaults,
    parquet: ({database, table: {freeze, fields}}: List) => parquetFaults(database, freeze, fields),
  };
  refuse((await faultsIn[list.table.freeze.format]?.(list)) ?? []);
}

async function footerRows({database, table: {freeze}}: List): Promise<number> {
  const [cells] = await database.query(`SELECT sum(num_rows) FROM parquet_file_metadata(${paths(freeze)})`);
  return Number(cells?.[0]);
}

async function patternFaults({database, table: {freeze, fields}}: List): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const [index, {constraints: {pattern: value} = {}}] of fields.entries()) {
    if (value === undefined) continue;
    try {
      await database.query(`SELECT regexp_full_match('', ${literal(value)})`);
    } catch (cause) {
      const field = `resources[0].schema.fields[${index}].constraints.pattern`;
      const rule = `is not a pattern: ${messageOf(cause as Error)}`;
      faults.push({code: 'FZ114', file: freeze.descriptor, field, value, rule});
    }
  }
  return faults;
}

/** CSV: the first line of every file must have the schema's columns, in order. Names cannot contain line ends. */
async function headerFaults({table: {freeze, fields}}: List): Promise<Fault[]> {
  const names = fields.map(({name}) => name);
  const header = headerPattern(names, freeze.delimiter);
  const faults = await mapAll(freeze.files, async (file): Promise<Fault[]> => {
    const first = await firstLine(freeze.root, file);
    if (first === undefined) {
      const fix = 'Restore the file, write the header into it, or freeze the list without this file.';
      return [{code: 'FZ126', file, rule: 'is empty: the header is missing', fix}];
    }
    const rule = `is not ${names.join(freeze.delimiter)}`;
    const fix = 'The first line must have the columns of the schema in `datapackage.json`, in the same order.';
    return header.test(first) ? [] : [{code: 'FZ106', file, line: 1, field: 'header', value: first, rule, fix}];
  });
  return faults.flat();
}

/** The first line of a file without a byte order mark; empty if it is blank. Undefined if all lines are blank. */
async function firstLine(root: string, file: string): Promise<string | undefined> {
  for await (const {line, text} of textLines(root, file)) {
    const [first = ''] = Buffer.from(text, 'latin1').toString('utf8').split('\r');
    return line === 1 ? first.replace(/^\ufeff/, '') : '';
  }
  return undefined;
}

/** A name may be quoted, with spaces outside of the quotation marks, and must be quoted if it contains the delimiter. */
function headerPattern(names: readonly string[], delimiter: string): RegExp {
  const escaped = (text: string) =>
    text.replaceAll(/[^\p{L}\p{N}]/gu, character => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`);
  const alternatives = names.map(name => {
    const quoted = ` *"${escaped(name)}" *`;
    return name.includes(delimiter) ? quoted : `(?:${quoted}|${escaped(name)})`;
  });
  return new RegExp(`^${alternatives.join(escaped(delimiter))}$`, 'u');
}

/** JSON: DuckDB reads a file without a list as an empty list, and one that is cut off after a comma as complete. */
async function endFaults({table: {freeze}}: List): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const file of freeze.files) {
    let last: string | undefined;
    for await (const chunk of chunksOf(freeze.root, file)) last = chunk.toString('latin1').trimEnd().at(-1) ?? last;
    if (last === undefined) {
      const fix = 'Restore the file, write `[]` into it, or freeze the list without this file.';
      faults.push({code: 'FZ126', file, rule: 'is empty', fix});
    }
    if (last === ',') faults.push({code: 'FZ202', file, rule: 'is incomplete: it ends with a comma'});
  }
  return faults;
}
