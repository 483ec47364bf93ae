import {checkClosed} from './faults/unclosed.ts';
import type {Database} from './database.ts';
import {relation, type Reading} from './relation.ts';
import type {Measure, Read, Table} from './table.ts';

/** Takes all measures of a table with one SELECT; equal ones are taken once. */
export async function takeMeasures(
  database: Database,
  root: string,
  table: Table,
  measures: readonly Measure<unknown>[],
  reading: Reading = {},
): Promise<Read> {
  const aggregates = [...new Set(measures.map(measure => measure.sql))];
  const [cells = []] = await database.query(
    `SELECT ${aggregates.map(sql => `to_json(${sql})`).join(', ')}
     FROM (${relation(root, table.freeze, table.fields, reading)})`,
  );
  const results = new Map(aggregates.map((sql, index) => [sql, parseCell(cells[index])]));
  return measure => measure.decode(results.get(measure.sql));
}

/** Takes them of rows that are read with care, whatever stands in the files. */
export async function measureCarefully(
  database: Database,
  root: string,
  table: Table,
  measures: readonly Measure<unknown>[],
): Promise<Read> {
  const [taken, closed] = await Promise.allSettled([
    takeMeasures(database, root, table, measures),
    checkClosed(root, table),
  ]);
  if (taken.status === 'rejected') throw taken.reason;
  if (closed.status === 'rejected') throw closed.reason;
  return taken.value;
}

/** The JSON text of an aggregate, null where it has none. */
function parseCell(cell: unknown): unknown {
  return typeof cell === 'string' ? JSON.parse(cell) : null;
}
