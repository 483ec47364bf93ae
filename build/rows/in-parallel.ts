import {BUFFER_BYTES, isLong} from './formats.ts';
import type {Measure, Read, Table} from './table.ts';

/** Measures of how many bytes the rows of CSV account for at least: what the values of each column take, without quotation marks. */
export function valueSizes({freeze, fields}: Table): Measure<number>[] {
  return isLong(freeze) ? fields.map((_, index) => ({sql: `sum(strlen(t${index}))`, decode: Number})) : [];
}

/**
 * Whether what several threads made of a long list is what one makes of it. Each begins in the middle of the file: where there are
 * quotation marks, it can only guess whether it is between two of them. And a last line that is longer than its buffer DuckDB leaves
 * out, without a word; then more bytes are left over than that.
 *
 * @param quoted whether there is a quotation mark in the list
 */
export async function agrees(table: Table, read: Read, quoted: Promise<boolean>): Promise<boolean> {
  // After each value stands a delimiter or a line ending.
  const accounted = valueSizes(table).reduce((sum, size) => sum + read(size) + read(table.count()), 0);
  return table.freeze.bytes - accounted < BUFFER_BYTES && !(await quoted);
}
