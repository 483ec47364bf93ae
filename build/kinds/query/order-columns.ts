import {isDeepStrictEqual} from 'node:util';
import type {Select} from './syntax.ts';

/** What follows a SELECT: ORDER BY, LIMIT, DISTINCT. */
export interface Modifier {
  readonly type: string;
  readonly orders?: readonly {readonly expression: Expression}[];
}

export interface Expression {
  readonly class: string;
  readonly alias: string;
  /** Of a column: its name, after that of its table where that is given. */
  readonly column_names?: readonly string[];
  /** Of a constant. */
  readonly value?: {readonly type: {readonly id: string}; readonly value: unknown};
}

/**
 * The indexes of the columns that a query orders by; undefined where its ORDER BY has other expressions, where two texts that differ may be
 * equal to it, or where LIMIT or DISTINCT hide rows.
 */
export function orderColumns({node, tree}: Select, width: number): number[] | undefined {
  const [order, ...others] = (node['modifiers'] ?? []) as readonly Modifier[];
  const items = (node['select_list'] ?? []) as readonly Expression[];
  if (others.length > 0 || items.length !== width || tree.includes('"COLLATE"')) return undefined;
  const columns = (order?.orders ?? []).map(({expression}) => columnOf(expression, items));
  return columns.includes(-1) ? undefined : columns;
}

/** As DuckDB finds it: a number is a position, and a name is first of all one that AS gives. */
function columnOf({class: kind, column_names: names = [], value}: Expression, items: readonly Expression[]): number {
  if (value?.type.id === 'INTEGER') return Number(value.value) - 1;
  if (kind !== 'COLUMN_REF') return -1;
  const [name = ''] = names;
  const named = items.findIndex(({alias}) => names.length === 1 && alias.toLowerCase() === name.toLowerCase());
  if (named >= 0) return named;
  return items.findIndex(item => item.alias === '' && isDeepStrictEqual(item.column_names, names));
}
