import {differing} from './compare.ts';
import type {Json} from '../../build/kinds/kind.ts';
import {some, type ColumnChange, type RowsChange, type Row} from './report.ts';

/** Compares the rows or events of two paid documents. Returns undefined if they are equal. */
export function rowsChange(before: Json, after: Json, limit: number): RowsChange | undefined {
  const member = 'events' in before || 'events' in after ? 'events' : 'rows';
  // The type is safe, because the paid document was validated.
  const rowsOf = (paid: Json) => (paid[member] ?? []) as readonly Row[];
  const [was, is] = [rowsOf(before), rowsOf(after)];
  const change = tableChange(member, was, is, limit, columnsOfAll);
  return change && {...change, total: {before: totalOf(before, was), after: totalOf(after, is)}};
}

/**
 * Compares two lists of objects in a document, such as its groups. Returns undefined if they differ only in their order.
 *
 * @param everywhereOf returns the columns to be shown once for all rows
 */
export function tableChange(
  member: string,
  was: readonly Row[],
  is: readonly Row[],
  limit: number,
  everywhereOf: typeof columnsOfAll = () => [],
): RowsChange | undefined {
  const key = keyOf(was, is);
  const changes = differing(indexed(was, key), indexed(is, key));
  if (changes.length === 0) return undefined;
  const added = changes.flatMap(({before, after}) => (after && !before ? [after] : []));
  const removed = changes.flatMap(({before, after}) => (before && !after ? [before] : []));
  const all = changes.flatMap(({before, after}) =>
    before && after ? [{key: shownKey(after, key), columns: columnChanges(before, after)}] : [],
  );
  const everywhere = everywhereOf(
    all.map(({columns}) => columns),
    was.length - removed.length,
  );
  const folded = new Set(everywhere.map(({column}) => column));
  const changed = all
    .map(({key: id, columns}) => ({key: id, columns: columns.filter(({column}) => !folded.has(column))}))
    .filter(({columns}) => columns.length > 0);
  const listed = {before: was.length, after: is.length};
  const items = {added: some(added, limit), removed: some(removed, limit), changed: some(changed, limit)};
  return {member, key, listed, total: listed, ...items, everywhere};
}

/** Returns the columns that changed in all rows, with the values of the first row. Empty for a single row. */
function columnsOfAll(changes: readonly (readonly ColumnChange[])[], rows: number): readonly ColumnChange[] {
  const [first = []] = changes;
  if (rows < 2 || changes.length < rows) return [];
  const times = new Map<string, number>();
  for (const {column} of changes.flat()) times.set(column, (times.get(column) ?? 0) + 1);
  return first.filter(({column}) => times.get(column) === rows);
}

function columnChanges(was: Row, is: Row) {
  const columns = differing(new Map(Object.entries(was)), new Map(Object.entries(is)));
  return columns.map(({key: column, before, after}) => ({column, before, after}));
}

function totalOf(paid: Json, rows: readonly Row[]): number {
  return typeof paid['rows_total'] === 'number' ? paid['rows_total'] : rows.length;
}

/** Each prefix is tried on all rows, so the length is limited. */
const MOST_KEY_COLUMNS = 16;

/**
 * Returns columns that identify the rows in both documents. The primary key is not published, so this is the first unique column, if
 * possible one without objects or lists, which are long to read; otherwise the shortest unique prefix of the columns, otherwise none.
 */
function keyOf(was: readonly Row[], is: readonly Row[]): string[] {
  const first = is[0] ?? was[0] ?? {};
  const columns = Object.keys(first);
  const singles = [false, true].flatMap(nested =>
    columns.filter(column => (typeof (first[column] ?? '') === 'object') === nested),
  );
  const runs = columns.slice(0, MOST_KEY_COLUMNS).map((_, index) => columns.slice(0, index + 1));
  const candidates = [...singles.map(column => [column]), ...runs];
  return (
    candidates.find(key => [was, is].every(rows => new Set(rows.map(row => idOf(row, key))).size === rows.length)) ?? []
  );
}

/** Returns the rows by key. Without a key, by their contents in any order of columns, with a counter for equal rows. */
function indexed(rows: readonly Row[], key: readonly string[]): Map<string, Row> {
  const seen = new Map<string, number>();
  return new Map(
    rows.map(row => {
      const id =
        key.length > 0 ? idOf(row, key) : JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
      const times = seen.get(id) ?? 0;
      seen.set(id, times + 1);
      return [`${times} ${id}`, row];
    }),
  );
}

function idOf(row: Row, key: readonly string[]): string {
  return JSON.stringify(key.map(column => row[column] ?? null));
}

/** Returns the values that identify a row, for people. Without a key, the whole row as JSON. */
export function shownKey(row: Row, key: readonly string[]): string {
  const values = key.length > 0 ? key.map(column => row[column]) : [row];
  return values.map(value => (typeof value === 'string' ? value : JSON.stringify(value ?? null))).join(', ');
}
