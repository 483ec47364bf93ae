import type {Database} from './database.ts';
import {BUFFER_BYTES} from './formats.ts';
import {relation} from './relation.ts';
import type {Measure, Read, Table} from './table.ts';

/**
 * Measures of how many bytes of CSV the rows account for at least: what their values take, without quotation marks. Where DuckDB reads
 * with several threads, it leaves out a last line that is longer than its buffer, without a word; but then too many bytes are left over.
 */
export function valueSizes({freeze, fields}: Table): Measure<number>[] {
  return freeze.format === 'csv' ? fields.map((_, index) => ({sql: `sum(strlen(t${index}))`, decode: Number})) : [];
}

/**
 * Reads a list once more, with one thread, where a line may have been left out. Throws DuckDB's error of a line that is too long.
 *
 * @param bytes of all files, unpacked
 */
export async function checkLastLine(
  database: Database,
  root: string,
  table: Table,
  read: Read,
  bytes: number,
): Promise<void> {
  const sizes = valueSizes(table);
  // After each value stands a delimiter or a line ending.
  const accounted = sizes.reduce((sum, size) => sum + read(size) + read(table.count()), 0);
  if (sizes.length === 0 || bytes - accounted < BUFFER_BYTES) return;
  await database.query(
    `SELECT count(*) FROM (${relation(root, table.freeze, table.fields, {options: ', parallel = false'})}) WHERE t0 IS NOT NULL`,
  );
}
