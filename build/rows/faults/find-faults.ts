import {relative} from 'node:path';
import {MERGE_CONFLICT} from '../../../shared/json-text.ts';
import {InputError, type Fault} from '../../../shared/fault.ts';
import {CSV_BY_THREADS, FORMATS, isLong, paths, type FormatRules} from '../formats.ts';
import {type List, type Reading, rowsOf} from '../relation.ts';
import {type Check, counted} from '../rules.ts';
import {COLUMNS, messageOf, identifier, literal} from '../sql.ts';
import {Table, type Read} from '../table.ts';
import {brokenText, mixedLineEnd, NOT_UTF8, place, type Found, type RowFault, type RowPlace} from './in-text.ts';
import {quoted} from '../../../shared/command-line.ts';
import {VALUE} from '../number-forms.ts';
import {isAccounted, takeMeasures} from '../measures.ts';

/**
 * Finds the locations of errors that a scan reported: rows that violate checks or, with a `cause`, rows that cannot be read. If DuckDB
 * stops at a list, reports its rejected rows, else the errors found in the text, else its error. Slow but complete; runs only for bad
 * lists. Errors are sorted by file in the order of the freeze, then by line.
 */
export async function findFaults(
  list: List,
  checks: readonly Check[],
  {cause, reading}: {readonly cause?: Error; readonly reading?: Reading} = {},
): Promise<InputError> {
  const found = cause ? await rejectedRows(list, checks) : await brokenRows(list, checks, reading);
  const faults = found ? await place(list, found.faults) : await brokenText(list);
  if (cause && faults.length === 0) faults.push(await unreadable(list.table, cause));
  const total = found?.total ?? faults.length;
  const {files} = list.table.freeze;
  const position = ({file = ''}: Fault) => files.indexOf(file);
  const inOrder = (a: Fault, b: Fault) =>
    a.file === b.file ? (a.line ?? 0) - (b.line ?? 0) : position(a) - position(b);
  const shown = faults.sort(inOrder).slice(0, SHOWN);
  return new InputError(shown, {more: total - shown.length, ...(cause ? {cause} : {})});
}

/**
 * The errors that DuckDB reports if it skips unreadable rows. Undefined if it stops nevertheless. With one thread it misses an unclosed
 * quotation mark, with several some errors of a long list.
 */
async function rejectedRows(list: List, checks: readonly Check[]): Promise<Found | undefined> {
  const formats = [FORMATS.csv, CSV_BY_THREADS];
  for (const format of isLong(list.table.freeze) ? formats : formats.toReversed()) {
    try {
      const {faults: records, total} = await rejectedRecords(list, format);
      if (total === 0) continue;
      if (total > MANY) return {faults: records, total};
      const rows = await brokenRows(list, checks, {options: ', ignore_errors = true'});
      return {faults: [...records, ...rows.faults], total: total + rows.total};
    } catch (error) {
      if (error instanceof InputError) throw error;
    }
  }
  return undefined;
}

async function unreadable({freeze}: Table, cause: Error): Promise<Fault> {
  const file = freeze.files.find(name => cause.message.includes(name)) ?? freeze.files[0] ?? freeze.folder;
  if (!cause.message.includes('state machine'))
    return {code: 'FZ104', file, rule: `cannot be read: ${messageOf(cause)}`};
  const fix = 'Look for a quotation mark in the middle of a value.';
  return (await mixedLineEnd(freeze.root, file)) ?? {code: 'FZ105', file, rule: 'is not CSV (RFC 4180)', fix};
}

const SHOWN = 20;

/** A column of a list cannot have this name, because it contains quotation marks. */
const FILE = '"file"';

/** Rows that violate a check or repeat a key: the first of each, and the number of all. */
async function brokenRows(list: List, checks: readonly Check[], reading: Reading = {}): Promise<Found> {
  const numbered = numberedRows(list, reading);
  const placeOf = await places(list, numbered);
  const faults: RowFault[] = [];
  let total = 0;
  for (const {code, field, rule, fix: remedy, breaches} of checks) {
    const found = await list.database.query(
      `SELECT n, shown, first, count(*) OVER () FROM (${breaches(numbered)}) ORDER BY n LIMIT ${SHOWN}`,
    );
    for (const [n, value, first] of found) {
      const fix = remedy?.replace(VALUE, () => quoted(String(value)));
      const fault = {code, field, value: value ?? undefined, rule, fix};
      faults.push({at: placeOf(n), fault, first: first === null ? undefined : placeOf(first)});
    }
    total += Number(found[0]?.[3] ?? 0);
  }
  return {faults, total};
}

/** SQL of the rows with `n`, their number in the whole list. Only a window without partitions keeps the order of the files. */
function numberedRows(list: List, {options = '', ...reading}: Reading): string {
  const named = `${options}, filename = ${literal(FILE)}`;
  const rows = rowsOf(list, {...reading, columns: `, ${identifier(FILE)} AS file`, options: named});
  return `SELECT *, row_number() OVER () AS n FROM (${rows})`;
}

/** Returns a function that finds the file and line of a row from its number in the whole list. */
async function places({database, table}: List, numbered: string): Promise<(n: unknown) => RowPlace> {
  const starts = await database.query(`SELECT file, min(n) FROM (${numbered}) GROUP BY file ORDER BY min(n) DESC`);
  const files = starts.map(([path, n]) => ({file: relative(table.freeze.root, String(path)), start: Number(n)}));
  return n => {
    const {file = '', start = 1} = files.find(candidate => candidate.start <= Number(n)) ?? {};
    return {file, row: Number(n) - start + 1};
  };
}

/** With more rejected rows than this, the rows between them are not checked: DuckDB records them slowly, and then loses some. */
const MANY = 1000;

const RULES: Readonly<Record<string, string>> = {
  'MISSING COLUMNS': 'has too few values',
  'TOO MANY COLUMNS': 'has too many values',
  'UNQUOTED VALUE': 'has a quotation mark that is not closed, or text after a closing one',
  'INVALID ENCODING': NOT_UTF8,
};

const ESCAPED =
  'If a backslash marks quotation marks within values, write them twice instead. Spark does that with .option("escape", "\\"").';

/**
 * The CSV records that DuckDB cannot read as rows, or the first ones if there are very many. Empty for other formats. Throws DuckDB's error
 * if it stops despite its options.
 */
async function rejectedRecords(list: List, format: FormatRules): Promise<Found> {
  const {database, table} = list;
  if (table.freeze.format !== 'csv') return {faults: [], total: 0};
  // Every column is read, because DuckDB only checks the bytes of columns that a query needs.
  const anyText = table.fields.map((_, index) => `${COLUMNS.text(index)} IS NOT NULL`).join(' OR ');
  const rows = rowsOf(list, {format, options: ', store_rejects = true'});
  await database.query(`SELECT count(*) FROM (${rows}) WHERE ${anyText}`);
  // A scan without rejected rows adds no entry, so the last entry may be of another list.
  const records = await database.query(`
    SELECT s.file_path, e.line_byte_position - 1, any_value(e.error_type ORDER BY e.error_type), any_value(e.csv_line),
      count(*) OVER ()
    FROM reject_errors AS e JOIN reject_scans AS s USING (scan_id, file_id)
    WHERE scan_id = (SELECT max(scan_id) FROM reject_scans WHERE file_path IN ${paths(table.freeze)})
    GROUP BY s.file_path, e.line_byte_position ORDER BY ALL LIMIT ${MANY}`);
  const faults = records.map(([path, offset, type, text]) => {
    // DuckDB counts the line end before a record as part of it.
    const value = String(text).replaceAll(/^[\r\n]+|[\r\n]+$/g, '');
    const rule = RULES[String(type)] ?? `cannot be read: ${String(type)}`;
    const isEscaped = rule !== NOT_UTF8 && value.includes('\\"');
    const broken = MERGE_CONFLICT.start.test(value) ? MERGE_CONFLICT : {rule, fix: isEscaped ? ESCAPED : undefined};
    const code = broken.rule === NOT_UTF8 ? ('FZ104' as const) : ('FZ105' as const);
    const fault = {code, field: 'row', value, rule: broken.rule, fix: broken.fix};
    return {at: {file: relative(table.freeze.root, String(path)), offset: Number(offset)}, fault};
  });
  return {faults, total: Number(records[0]?.[4] ?? 0)};
}

/**
 * Refuses CSV rows with additional empty values after their last column, which DuckDB drops without an error. Reads the list again with one
 * more column, unless the values account for every byte.
 * @param bytes size of the files, unpacked, with all line ends
 */
export async function refuseExtraValues(list: List, read: Read, bytes: number): Promise<void> {
  const {freeze, fields} = list.table;
  if (freeze.format !== 'csv' || isAccounted(list.table, read, bytes)) return;
  const names = [...fields.map(({name}) => name), ''];
  const texts = names.map(name => ({name, type: 'string' as const}));
  const table = new Table({...freeze, missing: [''], schema: {fields: texts}});
  const wide = {...list, table};
  // A null string that matches no value. All values are read as text, so that a missing value differs from an empty one.
  const reading = {options: `, null_padding = true, nullstr = ${literal('\u0001')}`};
  const shown = `concat_ws(${literal(freeze.delimiter)}, ${table.fields.map((_, index) => COLUMNS.text(index)).join(', ')})`;
  const broken = `${COLUMNS.text(fields.length)} IS NOT NULL`;
  const check = counted(table, {code: 'FZ105', field: 'row', shown, broken, rule: 'has too many values'});
  if (check.holds(await takeMeasures(wide, check.measures, reading))) return;
  throw await findFaults(wide, [check], {reading});
}
