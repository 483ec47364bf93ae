import type {Field, Format} from '../read/data-package.ts';
import {FIELD_TYPES} from './field-types.ts';
import {BUFFER_BYTES, CSV_BY_THREADS, isLong, isPacked, paths, type FormatRules} from './formats.ts';
import {bytesLeft, sizeOfValues, takeMeasures, valueSizes} from './measures.ts';
import type {List} from './relation.ts';
import {identifier, literal} from './sql.ts';
import type {Measure, Read, Table} from './table.ts';

/** NDJSON without a look at other members than the schema's, or at whether a text is one. */
const NDJSON_BY_NAMES: FormatRules = {
  from(root, freeze, fields) {
    const columns = fields.map(({name}) => `${literal(name)}: 'VARCHAR'`).join(', ');
    return `read_json(${paths(root, freeze)}, format = 'newline_delimited', records = true, compression = 'uncompressed',
      hive_partitioning = false, columns = {${columns}})`;
  },
  text: ({name}) => identifier(name),
};

const QUICK: Readonly<Partial<Record<Format, FormatRules>>> = {csv: CSV_BY_THREADS, ndjson: NDJSON_BY_NAMES};

/**
 * Takes measures as `measureCarefully` does, of a long list in half of its time: CSV by several threads, NDJSON by the names of the schema
 * alone. Undefined where the list is not such a one, or where the bytes of the files do not prove that the result is the same.
 *
 * @param quoted whether there is a quotation mark in the list
 */
export async function measureQuickly(
  list: List,
  measures: readonly Measure<unknown>[],
  quoted: Promise<boolean>,
): Promise<Read | undefined> {
  const {table} = list;
  const format = QUICK[table.freeze.format];
  if (!format || !isLong(table.freeze) || isPacked(table.freeze) || !isMeasurable(table)) return undefined;
  try {
    const isCsv = table.freeze.format === 'csv';
    const proofs = isCsv ? valueSizes(table) : [...valueSizes(table), ...valueCounts(table), oddValues(table)];
    const read = await takeMeasures(list, [...measures, ...proofs], {format});
    // A last line that is longer than its buffer DuckDB leaves out, without a word: then more bytes are left over than that.
    const threadsAgree = async () => !(await quoted) && bytesLeft(table, read, table.freeze.bytes) < BUFFER_BYTES;
    return (isCsv ? await threadsAgree() : namesAgree(table, read)) ? read : undefined;
  } catch {
    return undefined; // The careful way shows whether it is the list that is wrong.
  }
}

/** DuckDB writes a number of JSON in its own way, so that its length tells nothing. */
function isMeasurable({freeze, fields}: Table): boolean {
  return freeze.format === 'csv' || (freeze.files.length === 1 && fields.every(({type}) => type !== 'number'));
}

/**
 * No row takes fewer bytes than its members and values without a space, an escape or another member. So where all rows together take no
 * more, every one is just that. (The last line end may be missing.)
 */
function namesAgree(table: Table, read: Read): boolean {
  const {freeze, fields} = table;
  const members = Object.fromEntries(fields.map(field => [field.name, isText(field) ? '' : 0]));
  const zeros = fields.filter(field => !isText(field)).length;
  const rows = read(table.count());
  const least = sizeOfValues(table, read) + rows * (Buffer.byteLength(`${JSON.stringify(members)}\n`) - zeros);
  const isComplete = valueCounts(table).every(values => read(values) === rows);
  const isOdd = read(oddValues(table)) > 0 || fields.some(field => isCounted(field) && hasOddClass(table, field, read));
  return isComplete && !isOdd && (freeze.bytes === least || freeze.bytes === least - 1);
}

/** Whether the values of a column stand between quotation marks in JSON. */
function isText({type}: Field): boolean {
  return FIELD_TYPES[type].schema['type'] === 'string';
}

function valueCounts({fields}: Table): Measure<number>[] {
  return fields.map((_, index) => ({sql: `count(t${index})`, decode: Number}));
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
