import type {Field} from '../../build/read/data-package.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import type {Database} from '../../build/rows/database.ts';
import {relation} from '../../build/rows/relation.ts';
import {Table} from '../../build/rows/table.ts';

const SHOWN_ROWS = 3;
const SHOWN_MOVES = 8;

/** What a new list changes against the last freeze. */
export interface Comparison {
  readonly added: number;
  readonly removed: number;
  /** Rows with the same key and another value in some column. */
  readonly changed: number;
  /** Rows that changed, by column; columns that only one of the two lists has are left out. */
  readonly columns: Readonly<Record<string, number>>;
  /** Rows that went from one class to another, by column with an enum; the most frequent first. */
  readonly moves: readonly Move[];
  /** The first keys of each, in order. */
  readonly examples: {readonly added: Keys; readonly removed: Keys; readonly changed: Keys};
}

export interface Move {
  readonly column: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly rows: number;
}

type Keys = readonly string[];

/** Whether two lists of rows can be compared: rows without a common key are neither the same nor another. */
export function haveOneKey(before: Freeze, after: Freeze): boolean {
  const [old, fresh] = [before, after].map(({schema}) => [schema?.primaryKey ?? []].flat().join('\n'));
  return fresh !== '' && old === fresh;
}

/** Compares two freezes row by row in the database, by their primary key, which must be one. */
export async function compare(database: Database, root: string, before: Freeze, after: Freeze): Promise<Comparison> {
  const [old, fresh] = [new Table(before), new Table(after)];
  const shared = fresh.fields.filter(
    ({name}) => !fresh.key.includes(name) && old.fields.some(field => field.name === name),
  );
  const rows = joined(root, old, fresh, shared);
  const totals = await totalsOf(database, rows, shared);
  const moves: Move[] = [];
  for (const [index, {name, constraints}] of shared.entries())
    if (constraints?.enum && totals.columns[name] !== undefined)
      moves.push(...(await movesOf(database, rows, name, index)));
  return {...totals, moves};
}

/** SQL of all rows of both: `old` and `fresh` where they have the row, its `key`, and the shared columns `b0, b1, …` and `a0, a1, …`. */
function joined(root: string, old: Table, fresh: Table, shared: readonly Field[]): string {
  const side = (table: Table, other: Table) => {
    const keys = table.key.map((name, index) => `, ${table.text(name)} AS k${index}`);
    const values = shared.map(({name}, index) => `, ${comparable(table, other, name)} AS c${index}`);
    const key = table.key.map(name => table.text(name)).join(` || ', ' || `);
    return `(SELECT true AS here, ${key} AS key${keys.join('')}${values.join('')}
      FROM (${relation(root, table.freeze, table.fields)}))`;
  };
  const same = fresh.key.map((_, index) => `b.k${index} = a.k${index}`).join(' AND ');
  return `SELECT b.here AS old, a.here AS fresh, coalesce(a.key, b.key) AS key
      ${shared.map((_, index) => `, b.c${index} AS b${index}, a.c${index} AS a${index}`).join('')}
    FROM ${side(old, fresh)} AS b FULL OUTER JOIN ${side(fresh, old)} AS a ON ${same}`;
}

/** The value of a column where it has one type in both lists, else its text. */
function comparable(table: Table, other: Table, name: string): string {
  const typeIn = ({fields}: Table) => fields.find(field => field.name === name)?.type;
  return typeIn(table) === typeIn(other) ? table.value(name) : table.text(name);
}

async function totalsOf(
  database: Database,
  rows: string,
  shared: readonly Field[],
): Promise<Omit<Comparison, 'moves'>> {
  const differs = (index: number) => `old AND fresh AND b${index} IS DISTINCT FROM a${index}`;
  const states = {
    added: 'old IS NULL',
    removed: 'fresh IS NULL',
    changed: shared.map((_, index) => `(${differs(index)})`).join(' OR ') || 'false',
  };
  const counts = Object.entries(states).map(([name, where]) => `'${name}': count(*) FILTER (${where})`);
  const keys = Object.entries(states).map(
    ([name, where]) => `'${name}': coalesce(min(key, ${SHOWN_ROWS}) FILTER (${where}), [])`,
  );
  const columns = shared.map((_, index) => `count(*) FILTER (${differs(index)})`);
  const [cells] = await database.query(`
    SELECT to_json({${counts.join(', ')}, 'columns': [${columns.join(', ')}], 'examples': {${keys.join(', ')}}}) FROM (${rows})`);
  const totals = JSON.parse(String(cells?.[0])) as Omit<Comparison, 'columns' | 'moves'> & {columns: number[]};
  const changed = shared.map(({name}, index) => [name, totals.columns[index] ?? 0] as const).filter(([, n]) => n > 0);
  return {...totals, columns: Object.fromEntries(changed)};
}

async function movesOf(database: Database, rows: string, column: string, index: number): Promise<Move[]> {
  const moves = await database.query(`
    SELECT CAST(b${index} AS VARCHAR), CAST(a${index} AS VARCHAR), count(*) FROM (${rows})
    WHERE old AND fresh AND b${index} IS DISTINCT FROM a${index}
    GROUP BY ALL ORDER BY 3 DESC, 1, 2 LIMIT ${SHOWN_MOVES}`);
  return moves.map(([from, to, count]) => ({
    column,
    from: from as string | null,
    to: to as string | null,
    rows: Number(count),
  }));
}
