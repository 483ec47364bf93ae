import {isDeepStrictEqual} from 'node:util';
import {QueryFault} from './fault.ts';
import {orderColumns, type Expression, type Modifier} from './order-columns.ts';
import type {QueryResult, Session} from './session.ts';
import {running, withOrders, type Select} from './syntax.ts';

/** `*`, `ALL` or `COLUMNS(…)`. */
interface Star extends Expression {
  readonly expr: object | null;
  readonly relation_name: string;
  readonly exclude_list: readonly unknown[];
}

/**
 * The first rows of a query in its own order, which must be total: either the columns it orders by tell all rows apart, or rows that the
 * ORDER BY leaves equal are put in order by all columns, once upwards and once downwards, and both results are the same. Throws
 * `QueryFault`.
 */
export async function rowsInOrder(session: Session, sql: string, select: Select, limit: number): Promise<QueryResult> {
  const modifiers = (select.node['modifiers'] ?? []) as readonly Modifier[];
  const index = modifiers.findIndex(({type}) => type === 'ORDER_MODIFIER');
  if (index < 0) throw new QueryFault('has no ORDER BY: rows without an order are not the same twice');
  // One more, which tells whether the last could be another.
  const read = await session.ask(sql, limit + 1);
  const result = {...read, rows: read.rows.slice(0, limit)};
  // ORDER BY ALL is total already, and takes no further columns.
  const stars = (modifiers[index]?.orders ?? []).map(({expression}) => expression).filter(isStar);
  if (stars.some(isAll)) return result;
  if (stars.length > 0) throw new QueryFault('orders by some columns without their names: name them, or ORDER BY ALL');
  const width = read.columns.length;
  if (areApart(read.rows, orderColumns(select, width))) return result;
  const tied = (type: string) => session.ask(running(withOrders(select, index, allColumns(width, type))), limit);
  const [upwards, downwards] = [await tied('ASCENDING'), await tied('DESCENDING')];
  const first = upwards.rows.findIndex((row, at) => !isDeepStrictEqual(row, downwards.rows[at]));
  if (first < 0) return upwards;
  throw new QueryFault(
    `has no total order: row ${first + 1} could be another; end its ORDER BY with columns that tell all rows apart`,
  );
}

/** Whether every row differs from the one before in one of these columns, in what certainly differs to DuckDB too. */
function areApart(rows: QueryResult['rows'], columns: readonly number[] | undefined): boolean {
  const differs = (value: unknown, other: unknown) => value !== other && typeof value !== 'object';
  return (
    columns !== undefined &&
    rows.every((row, at) => at === 0 || columns.some(column => differs(row[column], rows[at - 1]?.[column])))
  );
}

function isStar(expression: Expression): expression is Star {
  return expression.class === 'STAR';
}

function isAll({expr, relation_name: table, exclude_list: excluded}: Star): boolean {
  return expr === null && table === '' && excluded.length === 0;
}

/** `1, 2, …` as the orders of a syntax tree. */
function allColumns(width: number, type: string): object[] {
  return Array.from({length: width}, (_, index) => {
    const value = {type: {id: 'INTEGER', type_info: null}, is_null: false, value: index + 1};
    const expression = {class: 'CONSTANT', type: 'VALUE_CONSTANT', alias: '', query_location: 0, value};
    return {type, null_order: 'ORDER_DEFAULT', expression};
  });
}
