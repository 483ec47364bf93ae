import type {FrozenList} from '../../build/read/freezes.ts';
import type {Database} from '../../build/rows/database.ts';
import {relation} from '../../build/rows/relation.ts';
import {isOfDuckDb, messageOf} from '../../build/rows/sql.ts';
import {Table} from '../../build/rows/table.ts';

const SHOWN_ROWS = 3;
const SHOWN_MOVES = 8;

/** The changes of a new list compared with the last freeze. */
export interface Comparison {
  readonly added: number;
  readonly removed: number;
  /** Rows with the same key and a different value in at least one column. */
  readonly changed: number;
  /** The number of changed rows by column. Columns that only one of the lists has are not compared. */
  readonly columns: Readonly<Record<string, number>>;
  /** Rows whose class changed, by column with an enum; the most frequent first. */
  readonly moves: readonly Move[];
  /** The first keys of added, removed and changed rows, in order. */
  readonly examples: {readonly added: Keys; readonly removed: Keys; readonly changed: Keys};
}

interface Move {
  readonly column: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly rows: number;
}

type Keys = readonly string[];

/** Compares two freezes row by row in the database, by their primary key. Returns undefined if their keys differ or are missing. */
export async function compare(
  database: Database,
  before: FrozenList,
  after: FrozenList,
): Promise<Comparison | undefined> {
  if (!before.schema) return undefined;
  const [old, fresh] = [new Table(before), new Table(after)];
  if (fresh.key.length === 0 || old.key.join('\n') !== fresh.key.join('\n')) return undefined;
  const shared = fresh.fields.flatMap(({name, type, scale, constraints}) => {
    const other = old.fields.find(field => field.name === name);
    if (!other || fresh.key.includes(name)) return [];
    // Values of different types are compared as text.
    const [b, a] = [old, fresh].map(table =>
      other.type === type && other.scale === scale ? table.value(name) : table.text(name),
    );
    return {name, isClass: constraints?.enum !== undefined, b: `b.${b}`, a: `a.${a}`};
  });
  const side = (table: Table) => {
    const keys = table.key.map((name, index) => `${table.text(name)} AS key${index}`).join(', ');
    return `(SELECT *, true AS here, ${keys} FROM (${relation(table.freeze, table.fields)}))`;
  };
  const keyOf = (side: string) => fresh.key.map((_, index) => `${side}.key${index}`).join(` || ', ' || `);
  const differs = shared.map(({a, b}) => `(${b} IS DISTINCT FROM ${a})`);
  const states = {
    added: 'b.here IS NULL',
    removed: 'a.here IS NULL',
    changed: `a.here AND b.here AND (${differs.join(' OR ') || 'false'})`,
  };
  const counts = Object.entries(states).map(([name, where]) => `'${name}': count(*) FILTER (${where})`);
  const keys = Object.entries(states).map(
    ([name, where]) =>
      `'${name}': coalesce(min(coalesce(${keyOf('a')}, ${keyOf('b')}), ${SHOWN_ROWS}) FILTER (${where}), [])`,
  );
  const moves = shared.map(({isClass, a, b}, index) => {
    const move = isClass ? `{'from': CAST(${b} AS VARCHAR), 'to': CAST(${a} AS VARCHAR)}` : `{'from': '', 'to': ''}`;
    return `coalesce(map_entries(histogram(${move}) FILTER (a.here AND b.here AND ${differs[index] ?? ''})), [])`;
  });
  const [cells] = await database.query(`
    SELECT to_json({${counts.join(', ')}, 'examples': {${keys.join(', ')}}, 'moves': [${moves.join(', ')}]})
    FROM ${side(old)} AS b FULL OUTER JOIN ${side(fresh)} AS a
      ON ${fresh.key.map((_, index) => `b.key${index} = a.key${index}`).join(' AND ')}`);
  const found = JSON.parse(String(cells?.[0])) as Omit<Comparison, 'columns' | 'moves'> & {
    readonly moves: readonly (readonly {readonly key: Pick<Move, 'from' | 'to'>; readonly value: number}[])[];
  };
  const columns = shared.map(({name, isClass}, index) => {
    const moves = (found.moves[index] ?? []).map(({key, value: rows}) => ({column: name, ...key, rows}));
    const rows = moves.reduce((sum, move) => sum + move.rows, 0);
    return {name, rows, moves: isClass ? moves.sort((a, b) => b.rows - a.rows).slice(0, SHOWN_MOVES) : []};
  });
  return {
    ...found,
    columns: Object.fromEntries(columns.filter(({rows}) => rows > 0).map(({name, rows}) => [name, rows])),
    moves: columns.flatMap(({moves}) => moves),
  };
}

/** The comparison with the last freeze, or why it failed. */
export interface Compared {
  readonly comparison?: Comparison;
  readonly uncompared?: string;
}

/** Runs a comparison. It is optional, so a last freeze that cannot be read, or running out of memory, does not prevent a new freeze. */
export async function compared(work: () => Promise<Comparison | undefined>): Promise<Compared> {
  try {
    const comparison = await work();
    return comparison ? {comparison} : {uncompared: 'a comparison needs the same primary key in both freezes'};
  } catch (error) {
    if (isOurs(error)) throw error;
    return {uncompared: messageOf(error as Error)};
  }
}

/** True if an error is a bug: not from DuckDB, or about the query itself. Other DuckDB errors are about files or memory. */
export function isOurs(error: unknown): boolean {
  return !isOfDuckDb(error) || /^(Parser|Catalog|Internal)/i.test(error.message);
}
