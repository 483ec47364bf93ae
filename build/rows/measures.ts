import type {Format} from '../read/data-package.ts';
import {NESTED_TYPES, type Field} from '../read/table-schema.ts';
import {FIELD_TYPES} from './field-types.ts';
import {CSV_BY_THREADS, isLong, isPacked, paths, type FormatRules} from './formats.ts';
import {rawName, rowsOf, type List, type Reading} from './relation.ts';
import {COLUMNS, identifier, literal} from './sql.ts';
import type {Survey} from './survey.ts';
import type {Measure, Read, Table} from './table.ts';

/** Takes all measures of a list, with the fast method if it is proved right. `isWhole` is true if no record can have been left out. */
export async function measure(
  list: List,
  measures: readonly Measure<unknown>[],
  surveyed: Survey,
): Promise<{readonly read: Read; readonly isWhole: boolean}> {
  const read = await measureQuickly(list, measures, surveyed);
  if (read) return {read, isWhole: true};
  const taken = await takeMeasures(list, measures);
  // With one thread, DuckDB ignores everything after an unclosed quotation mark without an error.
  if (surveyed.unclosed !== undefined) throw new Error(`a quotation mark is not closed in ${surveyed.unclosed}`);
  return {read: taken, isWhole: false};
}

/** Takes all measures of a list with one SELECT. Equal measures are taken once. */
export async function takeMeasures(
  list: List,
  measures: readonly Measure<unknown>[],
  reading?: Reading,
): Promise<Read> {
  const aggregates = [...new Set(measures.map(({sql}) => sql))];
  const [cells = []] = await list.database.query(
    `SELECT ${aggregates.map(sql => `to_json(${sql})`).join(', ')} FROM (${rowsOf(list, reading)})`,
  );
  const parse = (cell: unknown): unknown => (typeof cell === 'string' ? JSON.parse(cell) : null);
  const results = new Map(aggregates.map((sql, index) => [sql, parse(cells[index])]));
  return ({sql, decode}) => decode(results.get(sql));
}

/** The bytes of the values of all columns together, without quotation marks. */
export function valueBytes({freeze, fields}: Table): Measure<number> {
  const sums = fields.map((field, index) => `sum(strlen(${rawName(freeze, field, index)}))`);
  return {sql: `list_sum([${sums.join(', ')}])`, decode: Number};
}

/** True if values, delimiters, line ends and headers account for all bytes of unpacked CSV files, so that no record was left out. */
export function isAccounted(table: Table, read: Read, bytes: number): boolean {
  const {freeze, fields} = table;
  const header = Buffer.byteLength(`${fields.map(({name}) => name).join(freeze.delimiter)}\n`);
  const rows = read(valueBytes(table)) + fields.length * read(table.count());
  return bytes === rows + freeze.files.length * header;
}

/** Reads NDJSON by the schema's members only, without detecting other members or values that are not strings. */
const NDJSON_BY_NAMES: FormatRules = {
  from(freeze, fields) {
    const columns = fields.map(({name}) => `${literal(name)}: 'VARCHAR'`).join(', ');
    return `read_json(${paths(freeze)}, format = 'newline_delimited', records = true, compression = 'uncompressed',
      hive_partitioning = false, columns = {${columns}})`;
  },
  text: ({name}) => identifier(name),
};

const QUICK: Readonly<Partial<Record<Format, FormatRules>>> = {csv: CSV_BY_THREADS, ndjson: NDJSON_BY_NAMES};

/**
 * Takes the measures of a long list in half the time: CSV with several threads, NDJSON by the schema's members only. Undefined if the list
 * is not suitable, or if the bytes of the files do not prove that the result is the same.
 */
async function measureQuickly(
  list: List,
  measures: readonly Measure<unknown>[],
  surveyed: Survey,
): Promise<Read | undefined> {
  const {table} = list;
  const format = QUICK[table.freeze.format];
  if (!format || !isLong(table.freeze) || isPacked(table.freeze) || !isMeasurable(table)) return undefined;
  if (table.freeze.format === 'csv' && surveyed.quoted) return undefined;
  try {
    const isCsv = table.freeze.format === 'csv';
    const proofs = isCsv ? [] : [valueBytes(table), values(table), ambiguousValues(table)];
    const read = await takeMeasures(list, [...measures, ...proofs], {format});
    if (!isCsv) return namesAgree(table, read, surveyed.bytes) ? read : undefined;
    return read(table.count()) === surveyed.rows ? read : undefined;
  } catch {
    return undefined; // The reliable method then shows if the list is at fault.
  }
}

/** DuckDB reformats JSON numbers, objects and lists, so their length proves nothing. */
function isMeasurable({freeze, fields}: Table): boolean {
  const isRewritten = ({type}: Field) => type === 'number' || NESTED_TYPES.includes(type);
  return freeze.format === 'csv' || (freeze.files.length === 1 && !fields.some(isRewritten));
}

/**
 * A row takes at least the bytes of its members and values without spaces, escapes or further members. If all rows together take no more,
 * every row has exactly these bytes, and none was left out.
 */
function namesAgree(table: Table, read: Read, bytes: number): boolean {
  const {fields} = table;
  const members = Object.fromEntries(fields.map(field => [field.name, isText(field) ? '' : 0]));
  const zeros = fields.filter(field => !isText(field)).length;
  const rows = read(table.count());
  const least = read(valueBytes(table)) + rows * (Buffer.byteLength(`${JSON.stringify(members)}\n`) - zeros);
  const isComplete = read(values(table)) === rows * fields.length;
  const isAmbiguous =
    read(ambiguousValues(table)) > 0 || fields.some(field => isCounted(field) && hasAmbiguousClass(table, field, read));
  return isComplete && !isAmbiguous && bytes === least;
}

/** True if the values of a column are quoted in JSON. */
function isText({type}: Field): boolean {
  return FIELD_TYPES[type].schema['type'] === 'string';
}

function values({fields}: Table): Measure<number> {
  return {sql: `list_sum([${fields.map((_, index) => `count(${COLUMNS.text(index)})`).join(', ')}])`, decode: Number};
}

/**
 * The number of rows with text that DuckDB may have converted from something other than a string: a number, or `nan`, which it accepts
 * although it is not JSON. Few other strings start like this.
 */
function ambiguousValues(table: Table): Measure<number> {
  const ambiguous = table.fields.map((field, index) =>
    isCounted(field) ? 'false' : ambiguousText(field, COLUMNS.text(index)),
  );
  return table.count(ambiguous.map(sql => `(${sql})`).join(' OR '));
}

function ambiguousText({type}: Field, text: string): string {
  if (type === 'boolean') return `${text} NOT IN ('true', 'false')`;
  if (type !== 'string') return 'false';
  return `${text} BETWEEN '-' AND ':' OR ${text} BETWEEN '[' AND '\\' OR ${text} BETWEEN '{' AND '|'
    OR CASE WHEN strlen(${text}) > 8 THEN false ELSE lower(${text}) IN ('true', 'false', 'nan', 'inf', 'infinity') END`;
}

/** True if the rows are counted by the values of a column anyway. Its few values are then checked directly. */
function isCounted({type, constraints}: Field): boolean {
  return type === 'string' && constraints?.enum !== undefined;
}

function hasAmbiguousClass(table: Table, {name}: Field, read: Read): boolean {
  return [...read(table.countBy(name)).keys()].some(text => /^([-0-9[{]|(true|false|nan|inf|infinity)$)/i.test(text));
}
