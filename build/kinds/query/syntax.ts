import {findNodeAtLocation, parseTree} from 'jsonc-parser';
import {literal} from '../../rows/sql.ts';
import {queryError, reasonIn} from './fault.ts';
import type {Session} from './session.ts';

/** A node of DuckDB's syntax tree, from its function `json_serialize_sql`. */
export type SyntaxNode = Readonly<Record<string, unknown>>;

/** A query that is one SELECT statement. */
export interface Select {
  readonly sql: string;
  readonly node: SyntaxNode;
  /** The whole tree as DuckDB wrote it. It is edited as text, because `JSON.parse` would lose its 64-bit integers. */
  readonly tree: string;
}

interface Serialized {
  readonly error_message?: string;
  readonly position?: string;
  readonly statements?: readonly {readonly node: SyntaxNode}[];
}

/** Parses a query that must be exactly one SELECT statement. Throws `InputError`. */
export async function parseSelect(session: Session, sql: string): Promise<Select> {
  const {rows} = await session.ask(`SELECT json_serialize_sql(${literal(sql)})`, 2);
  const tree = String(rows[0]?.[0]);
  // In strings, quotation marks have a backslash before them, so this is a number.
  if (tree.includes('"value":Infinity')) throw queryError('has a number that is too large for a DOUBLE');
  const {error_message: reason, position, statements = []} = JSON.parse(tree) as Serialized;
  if (reason !== undefined && !reason.startsWith('Only SELECT statements'))
    throw queryError(reasonIn(reason), {position: position === undefined ? undefined : Number(position) + 1});
  const [statement, ...others] = statements;
  if (!statement || others.length > 0) throw queryError('is not exactly one SELECT statement');
  return {sql, node: statement.node, tree};
}

/** Lower-cases a name as DuckDB does: only ASCII letters. */
export function small(name: string): string {
  return name.replaceAll(/[A-Z]+/g, letters => letters.toLowerCase());
}

/** Returns the SQL of a query ordered by its ORDER BY, then by all of its `width` columns. Throws `InputError` without an ORDER BY. */
export function inTotalOrder({sql, node, tree}: Select, width: number): string {
  const modifiers = (node['modifiers'] ?? []) as readonly {
    readonly type: string;
    readonly orders?: readonly OrderItem[];
  }[];
  const index = modifiers.findIndex(({type}) => type === 'ORDER_MODIFIER');
  if (index < 0) throw queryError('needs an ORDER BY: rows without an order are not reproducible', {code: 'FZ303'});
  // ORDER BY ALL includes all columns, and DuckDB allows no others.
  if (modifiers[index]?.orders?.some(isAll)) return sql;
  const whole = parseTree(tree);
  const own = whole && findNodeAtLocation(whole, ['statements', 0, 'node', 'modifiers', index, 'orders']);
  if (!own) throw new Error('a query lost its ORDER BY');
  const end = own.offset + own.length - 1;
  const columns = Array.from({length: width}, (_, column) => `,${JSON.stringify(orderBy(column + 1))}`);
  return `PRAGMA json_execute_serialized_sql(${literal(tree.slice(0, end) + columns.join('') + tree.slice(end))})`;
}

interface OrderItem {
  readonly expression: SyntaxNode;
}

/** True for plain `*` or `ALL`, but not for `COLUMNS(…)` or a part of the columns. */
function isAll({expression: {class: kind, expr, relation_name: table, exclude_list: excluded}}: OrderItem): boolean {
  return kind === 'STAR' && expr === null && table === '' && Array.isArray(excluded) && excluded.length === 0;
}

/** A column position, from 1, as an ORDER BY item of a syntax tree. */
function orderBy(position: number): object {
  const value = {type: {id: 'INTEGER', type_info: null}, is_null: false, value: position};
  const expression = {class: 'CONSTANT', type: 'VALUE_CONSTANT', alias: '', query_location: 0, value};
  return {type: 'ASCENDING', null_order: 'ORDER_DEFAULT', expression};
}
