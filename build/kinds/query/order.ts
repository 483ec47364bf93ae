import {isDeepStrictEqual} from 'node:util';
import {isOfDuckDb} from '../../rows/sql.ts';
import {QueryFault} from './fault.ts';
import type {QueryResult, Session} from './session.ts';
import {running, withOrders, type Select} from './syntax.ts';

interface Modifier {
  readonly type: string;
  readonly orders?: readonly {readonly expression: Star | {readonly class: string}}[];
}

/** `*`, `ALL` or `COLUMNS(…)`. */
interface Star {
  readonly class: 'STAR';
  readonly expr: object | null;
  readonly relation_name: string;
  readonly exclude_list: readonly unknown[];
}

/**
 * The first rows of a query in its own order, which must be total: rows that the ORDER BY leaves equal are put in order by all columns,
 * once upwards and once downwards, and both results must be the same. Throws `QueryFault`.
 */
export async function rowsInOrder(session: Session, sql: string, select: Select, limit: number): Promise<QueryResult> {
  const modifiers = (select.node['modifiers'] ?? []) as readonly Modifier[];
  const index = modifiers.findIndex(({type}) => type === 'ORDER_MODIFIER');
  if (index < 0) throw new QueryFault('has no ORDER BY: rows without an order are not the same twice');
  const width = await session.width(sql);
  // ORDER BY ALL is total already, and takes no further columns.
  const stars = (modifiers[index]?.orders ?? []).map(({expression}) => expression).filter(isStar);
  if (stars.some(isAll)) return session.ask(sql, limit);
  if (stars.length > 0) throw new QueryFault('orders by some columns without their names: name them, or ORDER BY ALL');
  const tied = (type: string) => session.ask(running(withOrders(select, index, allColumns(width, type))), limit);
  const [upwards, downwards] = await original(session, sql, limit, async () => [
    await tied('ASCENDING'),
    await tied('DESCENDING'),
  ]);
  const first = upwards.rows.findIndex((row, at) => !isDeepStrictEqual(row, downwards.rows[at]));
  if (first < 0) return upwards;
  throw new QueryFault(
    `has no total order: row ${first + 1} could be another; end its ORDER BY with columns that tell all rows apart`,
  );
}

/** Throws the error of the query as its author wrote it, instead of that of one made from it: its position is in the author's text. */
async function original<T>(session: Session, sql: string, limit: number, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (isOfDuckDb(error)) await session.ask(sql, limit);
    throw error;
  }
}

function isStar(expression: Star | {readonly class: string}): expression is Star {
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
