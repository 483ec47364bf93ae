import {findNodeAtLocation, parseTree} from 'jsonc-parser';
import {literal} from '../../rows/sql.ts';
import {QueryFault} from './fault.ts';
import type {Session} from './session.ts';

/** A node of DuckDB's syntax tree, as its function `json_serialize_sql` gives it. */
export type SyntaxNode = Readonly<Record<string, unknown>>;

/** A query that is one SELECT statement. */
export interface Select {
  readonly sql: string;
  readonly node: SyntaxNode;
  /** The whole tree as DuckDB wrote it: its integers of 64 bits do not survive `JSON.parse`, so it is edited as text. */
  readonly tree: string;
}

interface Serialized {
  readonly error_message?: string;
  readonly position?: string;
  readonly statements?: readonly {readonly node: SyntaxNode}[];
}

/** Parses a query that must be exactly one SELECT statement. Throws `QueryFault`. */
export async function parseSelect(session: Session, sql: string): Promise<Select> {
  const {rows} = await session.ask(`SELECT json_serialize_sql(${literal(sql)})`, 1);
  const tree = String(rows[0]?.[0]);
  // Quotation marks in a text have a backslash before them.
  if (tree.includes('"value":Infinity')) throw new QueryFault('has a number that no DOUBLE can hold');
  const {error_message: reason, position, statements = []} = JSON.parse(tree) as Serialized;
  if (reason !== undefined && !reason.startsWith('Only SELECT statements'))
    throw new QueryFault(reason, position === undefined ? undefined : Number(position) + 1);
  const [statement, ...others] = statements;
  if (!statement || others.length > 0) throw new QueryFault('is not exactly one SELECT statement');
  return {sql, node: statement.node, tree};
}

/** The tree of a query whose ORDER BY, the modifier at this index, goes on with further orders. */
export function withOrders({tree}: Select, modifier: number, orders: readonly object[]): string {
  const whole = parseTree(tree);
  const own = whole && findNodeAtLocation(whole, ['statements', 0, 'node', 'modifiers', modifier, 'orders']);
  if (!own) throw new Error('a query lost its ORDER BY');
  const end = own.offset + own.length - 1;
  return tree.slice(0, end) + orders.map(order => `,${JSON.stringify(order)}`).join('') + tree.slice(end);
}
