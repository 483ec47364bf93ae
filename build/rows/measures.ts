import type {Format} from '../read/data-package.ts';
import {NESTED_TYPES, type Field} from '../read/table-schema.ts';
import {FIELD_TYPES} from './field-types.ts';
import {CSV_BY_THREADS, isLong, isPacked, paths, type FormatRules} from './formats.ts';
import {rawName, rowsOf, type List, type Reading} from './relation.ts';
import {identifier, literal} from './sql.ts';
import type {Survey} from './survey.ts';
import type {Measure, Read, Table} from './table.ts';

/**
 * Takes all measures of a list, whatever stands in its files, in the quick way where the result is proved to be the same. Tells as well
 * whether it is proved that no record was left out.
 *
 * @param surveyed what the bytes of the files hold
 */
export async function measure(
  list: List,
  measures: readonly Measure<unknown>[],
  surveyed: Survey,
): Promise<{readonly read: Read; readonly isWhole: boolean}> {
  const read = await measureQuickly(list, measures, surveyed);
  if (read) return {read, isWhole: true};
  const taken = await takeMeasures(list, measures);
  // From a quotation mark that is not closed on, DuckDB leaves out all, without a word, where it reads with one thread.
  if (surveyed.unclosed !== undefined) throw new Error(`a quotation mark is not closed in ${surveyed.unclosed}`);
  return {read: taken, isWhole: false};
}

/** Takes all measures of a list with one SELECT; equal ones are taken once. */
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

/** How many bytes the values of all columns take together, without quotation marks. */
export function valueBytes({freeze, fields}: Table): Measure<number> {
  const sums = fields.map((field, index) => `sum(strlen(${rawName(freeze, field, index)}))`);
  return {sql: `list_sum([${sums.join(', ')}])`, decode: Number};
}

/**
 * Whether values, delimiters, line ends and headers are all that there is in files of CSV: then no record was left out.
 *
 * @param bytes size of the files, unpacked, with all line ends
 */
export function isAccounted(table: Table, read: Read, bytes: number): boolean {
  const {freeze, fields} = table;
  const header = Buffer.byteLength(`${fields.map(({name}) => name).join(freeze.delimiter)}\n`);
  const rows = read(valueBytes(table)) + fields.length * read(table.count());
  return bytes === rows + freeze.files.length * header;
}

/** NDJSON without a look at other members than the schema's, or at whether a text is one. */
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
 * Takes measures of a long list in half of its time: CSV by several threads, NDJSON by the names of the schema
 * alone. Undefined where the list is not such a one, or where the bytes of the files do not prove that the result is the same.
 *
 * @param surveyed what the bytes of the files hold
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
    const proofs = isCsv ? [] : [valueBytes(table), values(table), oddValues(table)];
    const read = await takeMeasures(list, [...measures, ...proofs], {format});
    if (!isCsv) return namesAgree(table, read, surveyed.bytes) ? read : undefined;
    return read(table.count()) === surveyed.rows ? read : undefined;
  } catch {
    return undefined; // The careful way shows whether it is the list that is wrong.
  }
}

/** DuckDB writes numbers, objects and lists of JSON in its own way, so that their length tells nothing. */
function isMeasurable({freeze, fields}: Table): boolean {
  const isRewritten = ({type}: Field) => type === 'number' || NESTED_TYPES.includes(type);
  return freeze.format === 'csv' || (freeze.files.length === 1 && !fields.some(isRewritten));
}

/**
 * No row takes fewer bytes than its members and values without a space, an escape or another member. So where all rows together take no
 * more, every one is just that, and none was left out.
 */
function namesAgree(table: Table, read: Read, bytes: number): boolean {
  const {fields} = table;
  const members = Object.fromEntries(fields.map(field => [field.name, isText(field) ? '' : 0]));
  const zeros = fields.filter(field => !isText(field)).length;
  const rows = read(table.count());
  const least = read(valueBytes(table)) + rows * (Buffer.byteLength(`${JSON.stringify(members)}\n`) - zeros);
  const isComplete = read(values(table)) === rows * fields.length;
  const isOdd = read(oddValues(table)) > 0 || fields.some(field => isCounted(field) && hasOddClass(table, field, read));
  return isComplete && !isOdd && bytes === least;
}

/** Whether the values of a column stand between quotation marks in JSON. */
function isText({type}: Field): boolean {
  return FIELD_TYPES[type].schema['type'] === 'string';
}

/** How many values there are in all columns together. */
function values({fields}: Table): Measure<number> {
  return {sql: `list_sum([${fields.map((_, index) => `count(t${index})`).join(', ')}])`, decode: Number};
}

/**
 * Number of rows with a text that DuckDB may have made of what is no text: a number, say, or `nan`, which it takes although it is no
 * JSON. Few other texts begin as those do.
 */
function oddValues(table: Table): Measure<number> {
  const odd = table.fields.map((field, index) => (isCounted(field) ? 'false' : oddOf(field, `t${index}`)));
  return table.count(odd.map(sql => `(${sql})`).join(' OR '));
}

function oddOf({type}: Field, text: string): string {
  if (type === 'boolean') return `${text} NOT IN ('true', 'false')`;
  if (type !== 'string') return 'false';
  return `${text} BETWEEN '-' AND ':' OR ${text} BETWEEN '[' AND '\\' OR ${text} BETWEEN '{' AND '|'
    OR CASE WHEN strlen(${text}) > 8 THEN false ELSE lower(${text}) IN ('true', 'false', 'nan', 'inf', 'infinity') END`;
}

/** Whether the rows are counted by the values of a column anyway: its few values are looked at here. */
function isCounted({type, constraints}: Field): boolean {
  return type === 'string' && constraints?.enum !== undefined;
}

function hasOddClass(table: Table, {name}: Field, read: Read): boolean {
  return [...read(table.countBy(name)).keys()].some(text => /^([-0-9[{]|(true|false|nan|inf|infinity)$)/i.test(text));
}
