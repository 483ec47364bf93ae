import {join} from 'node:path';
import type {DuckDBConnection} from '@duckdb/node-api';
import type {Freeze} from '../../read/freezes.ts';
import {relation} from '../../rows/relation.ts';
import {identifier} from '../../rows/sql.ts';
import {Table} from '../../rows/table.ts';
import {isOutOfMemory} from './fault.ts';

/**
 * The order of the rows in a table: upwards or downwards by their key, or by all columns where they have none. The two turn every pair
 * of rows round.
 */
export type Order = 'ASC' | 'DESC';

/**
 * Loads a freeze into a table. Where there is no room for that, makes a view over its files, with the rows as they stand there or, without
 * sorting them, in another order.
 *
 * @returns the folders that queries read files in
 */
export async function loadTable(
  connection: DuckDBConnection,
  root: string,
  name: string,
  freeze: Freeze,
  order: Order,
): Promise<string[]> {
  const {fields, key} = new Table(freeze);
  const columns = fields.map((field, index) => `v${index} AS ${identifier(field.name)}`).join(', ');
  const rows = `SELECT ${columns} FROM (${relation(root, freeze, fields)})`;
  const by = key.length > 0 ? key.map(column => `${identifier(column)} ${order}`).join(', ') : `ALL ${order}`;
  try {
    await connection.run(`CREATE TABLE ${identifier(name)} AS ${rows} ORDER BY ${by}`);
    return [];
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    await connection.run(`CREATE VIEW ${identifier(name)} AS ${order === 'ASC' ? rows : inHalves(rows)}`);
    return [join(root, freeze.folder)];
  }
}

/** The same rows, those of one half before those of the other: another order, for which nothing is sorted. */
function inHalves(rows: string): string {
  const half = (remainder: number) => `SELECT t.* FROM (${rows}) AS t WHERE hash(t) % 2 = ${remainder}`;
  return `${half(1)} UNION ALL ${half(0)}`;
}
