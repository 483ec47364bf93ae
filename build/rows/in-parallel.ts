import {BUFFER_BYTES} from './formats.ts';
import type {Measure, Read, Table} from './table.ts';

/** Measures of how many bytes the values of each column of CSV take, without quotation marks. */
export function valueSizes({freeze, fields}: Table): Measure<number>[] {
  return freeze.format === 'csv' ? fields.map((_, index) => ({sql: `sum(strlen(t${index}))`, decode: Number})) : [];
}

/** How many of these bytes of CSV neither values are nor the delimiters and line ends after them: headers, quotation marks, and so on. */
export function bytesLeft(table: Table, read: Read, bytes: number): number {
  return bytes - valueSizes(table).reduce((sum, size) => sum + read(size) + read(table.count()), 0);
}

/**
 * Whether what several threads made of a long list is what one makes of it. Each begins in the middle of the file: where there are
 * quotation marks, it can only guess whether it is between two of them. And a last line that is longer than its buffer DuckDB leaves
 * out, without a word; then more bytes are left over than that.
 *
 * @param quoted whether there is a quotation mark in the list
 */
export async function agrees(table: Table, read: Read, quoted: Promise<boolean>): Promise<boolean> {
  return bytesLeft(table, read, table.freeze.bytes) < BUFFER_BYTES && !(await quoted);
}
