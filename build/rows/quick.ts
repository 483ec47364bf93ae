import type {Field} from '../read/data-package.ts';
import {FIELD_TYPES} from './field-types.ts';
import {BUFFER_BYTES, isLong, isPacked} from './formats.ts';
import type {Measure, Read, Table} from './table.ts';

/** Whether a list can be read in a quicker way, and is long enough for that to pay. */
export function mayBeQuick({freeze, fields}: Table): boolean {
  if (!isLong(freeze) || isPacked(freeze)) return false;
  // DuckDB writes a number of JSON in its own way, so that its length tells nothing.
  const isMeasurable = freeze.files.length === 1 && fields.every(({type}) => type !== 'number');
  return freeze.format === 'csv' || (freeze.format === 'ndjson' && isMeasurable);
}

/** What tells whether the result of the quicker way can be relied on. */
export function agreementOf(table: Table): Measure<number>[] {
  return table.freeze.format === 'csv'
    ? valueSizes(table)
    : [...valueSizes(table), ...valueCounts(table), oddValues(table)];
}

/** Measures of how many bytes the values of each column take, without quotation marks. */
export function valueSizes({fields}: Table): Measure<number>[] {
  return fields.map((_, index) => ({sql: `sum(strlen(t${index}))`, decode: Number}));
}

/** How many of these bytes of CSV neither values are nor the delimiters and line ends after them: headers, quotation marks, and so on. */
export function bytesLeft(table: Table, read: Read, bytes: number): number {
  return bytes - sizeOfValues(table, read) - table.fields.length * read(table.count());
}

/**
 * Whether what the quicker way made of a list is what the careful one makes of it.
 *
 * @param quoted whether there is a quotation mark in the list
 */
export async function agrees(table: Table, read: Read, quoted: Promise<boolean>): Promise<boolean> {
  return table.freeze.format === 'csv' ? threadsAgree(table, read, await quoted) : namesAgree(table, read);
}

/**
 * Each thread begins in the middle of the file: where there are quotation marks, it can only guess whether it is between two of them. And
 * a last line that is longer than its buffer DuckDB leaves out, without a word; then more bytes are left over than that.
 */
function threadsAgree(table: Table, read: Read, quoted: boolean): boolean {
  return bytesLeft(table, read, table.freeze.bytes) < BUFFER_BYTES && !quoted;
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

function sizeOfValues(table: Table, read: Read): number {
  return valueSizes(table).reduce((sum, size) => sum + read(size), 0);
}

function valueCounts({fields}: Table): Measure<number>[] {
  return fields.map((_, index) => ({sql: `count(t${index})`, decode: Number}));
}

/** Whether the rows are counted by the values of a column anyway. */
function isCounted({type, constraints}: Field): boolean {
  return type === 'string' && constraints?.enum !== undefined;
}

function hasOddClass(table: Table, {name}: Field, read: Read): boolean {
  return [...read(table.countBy(name)).keys()].some(text => /^([-0-9[{]|(true|false|nan|inf|infinity)$)/i.test(text));
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
