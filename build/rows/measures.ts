import {checkClosed} from './faults/unclosed.ts';
import {rowsOf, type List, type Reading} from './relation.ts';
import type {Measure, Read, Table} from './table.ts';

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
  const parse = (cell: unknown): unknown => (typeof cell === 'string' ? JSON.parse(cell) : null);
  const results = new Map(aggregates.map((sql, index) => [sql, parse(cells[index])]));
  return measure => measure.decode(results.get(measure.sql));
}

/** The same with care, whatever stands in the files. */
export async function measureCarefully(list: List, measures: readonly Measure<unknown>[]): Promise<Read> {
  const [taken, closed] = await Promise.allSettled([takeMeasures(list, measures), checkClosed(list)]);
  if (taken.status === 'rejected') throw taken.reason;
  if (closed.status === 'rejected') throw closed.reason;
  return taken.value;
}

/** Measures of how many bytes the values of each column take, without quotation marks. */
export function valueSizes({fields}: Table): Measure<number>[] {
  return fields.map((_, index) => ({sql: `sum(strlen(t${index}))`, decode: Number}));
}

/** How many bytes all values take together. */
export function sizeOfValues(table: Table, read: Read): number {
  return valueSizes(table).reduce((sum, size) => sum + read(size), 0);
}

/** How many of these bytes of CSV neither values are nor the delimiters and line ends after them: headers, quotation marks, and so on. */
export function bytesLeft(table: Table, read: Read, bytes: number): number {
  return bytes - sizeOfValues(table, read) - table.fields.length * read(table.count());
}
