import {dirname} from 'node:path';
import type {DuckDBConnection} from '@duckdb/node-api';
import type {Freeze} from '../../read/freezes.ts';
import {readableFreeze} from '../../rows/gzip.ts';
import {relation} from '../../rows/relation.ts';
import {identifier} from '../../rows/sql.ts';
import {Table} from '../../rows/table.ts';
import {isOutOfMemory, LimitFault} from './fault.ts';

/**
 * The order of the rows in a table: upwards or downwards by their key, or by all columns where they have none. The two turn every pair
 * of rows round.
 */
export type Order = 'ASC' | 'DESC';

/**
 * Loads a freeze into a table, in order. What has no room in memory is in temporary files below `scratch`. Throws a `LimitFault` where
 * they have no room either.
 */
export async function loadTable(
  connection: DuckDBConnection,
  root: string,
  name: string,
  freeze: Freeze,
  {order, scratch}: {readonly order: Order; readonly scratch: string},
): Promise<void> {
  const {fields, key} = new Table(freeze);
  const readable = await readableFreeze(root, freeze, scratch);
  const columns = fields.map((field, index) => `v${index} AS ${identifier(field.name)}`).join(', ');
  const by = key.length > 0 ? key.map(column => `${identifier(column)} ${order}`).join(', ') : `ALL ${order}`;
  try {
    await connection.run(
      `CREATE TABLE ${identifier(name)} AS SELECT ${columns} FROM (${relation(root, readable, fields)}) ORDER BY ${by}`,
    );
  } catch (cause) {
    if (!isOutOfMemory(cause) && !(cause as Error).message.includes(scratch)) throw cause;
    const rule = `reads ${freeze.folder}, for which neither memory nor ${dirname(scratch)} has room: name a larger folder in TMPDIR`;
    throw new LimitFault(rule, undefined, {cause});
  }
}
