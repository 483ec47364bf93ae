import {checkClosed} from './faults/unclosed.ts';
import {rowsOf, type List} from './list.ts';
import type {Reading} from './relation.ts';
import type {Measure, Read} from './table.ts';

/** Takes all measures of a list with one SELECT; equal ones are taken once. */
export async function takeMeasures(
  list: List,
  measures: readonly Measure<unknown>[],
  reading?: Reading,
): Promise<Read> {
  const aggregates = [...new Set(measures.map(measure => measure.sql))];
  const [cells = []] = await list.database.query(
    `SELECT ${aggregates.map(sql => `to_json(${sql})`).join(', ')} FROM (${rowsOf(list, reading)})`,
  );
  const results = new Map(aggregates.map((sql, index) => [sql, parseCell(cells[index])]));
  return measure => measure.decode(results.get(measure.sql));
}

/** The same with care, whatever stands in the files. */
export async function measureCarefully(list: List, measures: readonly Measure<unknown>[]): Promise<Read> {
  const [taken, closed] = await Promise.allSettled([takeMeasures(list, measures), checkClosed(list)]);
  if (taken.status === 'rejected') throw taken.reason;
  if (closed.status === 'rejected') throw closed.reason;
  return taken.value;
}

/** The JSON text of an aggregate, null where it has none. */
function parseCell(cell: unknown): unknown {
  return typeof cell === 'string' ? JSON.parse(cell) : null;
}
