import {isDeepStrictEqual} from 'node:util';
import {literal} from '../../rows/sql.ts';
import {QueryFault} from './fault.ts';
import {small} from './inspect.ts';
import type {QueryResult, Session} from './session.ts';
import {withOrders, type Select, type SyntaxNode} from './syntax.ts';

/** What follows a SELECT: ORDER BY, LIMIT, DISTINCT. */
interface Modifier {
  readonly type: string;
  readonly orders?: readonly {readonly expression: Expression}[];
}

interface Expression extends SyntaxNode {
  readonly class: string;
  readonly alias: string;
  /** Of a column: its name, after that of its table where that is given. */
  readonly column_names?: readonly string[];
  /** Of a constant. */
  readonly value?: {readonly type: {readonly id: string}; readonly value: unknown};
}

/**
 * The first rows of a query in its own order, which must be total: either the columns it orders by tell all rows apart, or rows that the
 * ORDER BY leaves equal are put in order by all columns, once upwards and once downwards, and both results are the same. Throws
 * `QueryFault`.
 */
export async function rowsInOrder(session: Session, select: Select, limit: number): Promise<QueryResult> {
  const modifiers = (select.node['modifiers'] ?? []) as readonly Modifier[];
  const index = modifiers.findIndex(({type}) => type === 'ORDER_MODIFIER');
  if (index < 0) throw new QueryFault('has no ORDER BY: rows without an order are not the same twice');
  // One more, which tells whether the last could be another.
  const read = await session.ask(select.sql, limit + 1);
  const result = {...read, rows: read.rows.slice(0, limit)};
  const orders = (modifiers[index]?.orders ?? []).map(({expression}) => expression);
  const stars = orders.filter(expression => expression.class === 'STAR');
  // ORDER BY ALL is total already, and takes no further columns.
  if (stars.some(isAll)) return result;
  if (stars.length > 0) throw new QueryFault('orders by some columns without their names: name them, or ORDER BY ALL');
  const width = read.columns.length;
  const items = (select.node['select_list'] ?? []) as readonly Expression[];
  const columns = orders.map(order => columnOf(order, items));
  // LIMIT and DISTINCT hide rows, and a collation has texts that differ be equal.
  const isPlain = modifiers.length === 1 && !select.tree.includes('"COLLATE"') && items.length === width;
  if (isPlain && areApart(read.rows, columns)) return result;
  const tied = async (type: string) => {
    const tree = withOrders(select, index, allColumns(width, type));
    return session.ask(`PRAGMA json_execute_serialized_sql(${literal(tree)})`, limit);
  };
  const [upwards, downwards] = [await tied('ASCENDING'), await tied('DESCENDING')];
  const first = upwards.rows.findIndex((row, at) => !isDeepStrictEqual(row, downwards.rows[at]));
  if (first < 0) return upwards;
  throw new QueryFault(
    `has no total order: row ${first + 1} could be another; end its ORDER BY with columns that tell all rows apart`,
  );
}

/** `*` or `ALL`, not `COLUMNS(…)` or a part of them. */
function isAll({expr, relation_name: table, exclude_list: excluded}: Expression): boolean {
  return expr === null && table === '' && Array.isArray(excluded) && excluded.length === 0;
}

/**
 * The index of the column that a query orders by, -1 where it orders by another expression. As DuckDB finds it: a number is a position,
 * and a name is first of all one that AS gives.
 */
function columnOf({class: kind, column_names: names = [], value}: Expression, items: readonly Expression[]): number {
  if (value?.type.id === 'INTEGER') return Number(value.value) - 1;
  if (kind !== 'COLUMN_REF') return -1;
  const [name = ''] = names;
  const named = items.findIndex(({alias}) => names.length === 1 && small(alias) === small(name));
  if (named >= 0) return named;
  return items.findIndex(item => item.alias === '' && isDeepStrictEqual(item.column_names, names));
}

/** Whether all are columns, and every row differs from the one before in one of them, in what certainly differs to DuckDB too. */
function areApart(rows: QueryResult['rows'], columns: readonly number[]): boolean {
  if (columns.includes(-1)) return false;
  const differs = (value: unknown, other: unknown) => value !== other && typeof value !== 'object';
  return rows.every((row, at) => at === 0 || columns.some(column => differs(row[column], rows[at - 1]?.[column])));
}

/** `1, 2, …` as the orders of a syntax tree. */
function allColumns(width: number, type: string): object[] {
  return Array.from({length: width}, (_, index) => {
    const value = {type: {id: 'INTEGER', type_info: null}, is_null: false, value: index + 1};
    const expression = {class: 'CONSTANT', type: 'VALUE_CONSTANT', alias: '', query_location: 0, value};
    return {type, null_order: 'ORDER_DEFAULT', expression};
  });
}
