import {applyEdits, modify} from 'jsonc-parser';
import {literal} from '../../rows/sql.ts';
import type {Sandbox} from './sandbox.ts';

/** A node of DuckDB's syntax tree, as its function `json_serialize_sql` gives it. */
export type SyntaxNode = Readonly<Record<string, unknown>>;

/** A query that is one SELECT statement. */
export interface Select {
  readonly node: SyntaxNode;
  /** The whole tree as DuckDB wrote it: its integers of 64 bits do not survive `JSON.parse`, so it is edited as text. */
  readonly tree: string;
}

/** What is wrong with a query and, where it is one place, where: a character, from 1. */
export class QueryFault extends Error {
  readonly position: number | undefined;

  constructor(rule: string, position?: number, options?: ErrorOptions) {
    super(rule, options);
    this.name = 'QueryFault';
    this.position = position;
  }
}

interface Serialized {
  readonly error: boolean;
  readonly error_message?: string;
  readonly position?: string;
  readonly statements?: readonly {readonly node: SyntaxNode}[];
}

/** Parses a query that must be exactly one SELECT statement. Throws `QueryFault`. */
export async function parseSelect(sandbox: Sandbox, sql: string): Promise<Select> {
  const {rows} = await sandbox.run(`SELECT json_serialize_sql(${literal(sql)})`, 1);
  const tree = String(rows[0]?.[0]);
  const {error, error_message: reason, position, statements = []} = JSON.parse(tree) as Serialized;
  const isOther = reason?.startsWith('Only SELECT statements') === true;
  if (error && !isOther)
    throw new QueryFault(reason ?? 'is not SQL', position === undefined ? undefined : Number(position) + 1);
  const [statement, ...others] = statements;
  if (!statement || others.length > 0) throw new QueryFault('is not exactly one SELECT statement');
  return {node: statement.node, tree};
}

/** SQL of a query whose ORDER BY, the modifier at this index, goes on with further orders. */
export async function withOrders(
  sandbox: Sandbox,
  select: Select,
  modifier: number,
  orders: readonly object[],
): Promise<string> {
  const path = ['statements', 0, 'node', 'modifiers', modifier, 'orders', -1];
  const tree = orders.reduce<string>(
    (text, order) => applyEdits(text, modify(text, path, order, {isArrayInsertion: true})),
    select.tree,
  );
  return textOf(sandbox, tree);
}

/** SQL of a syntax tree as DuckDB writes it: without comments, and without anything behind the statement. */
export async function textOf(sandbox: Sandbox, tree: string): Promise<string> {
  const {rows} = await sandbox.run(`SELECT json_deserialize_sql(${literal(tree)})`, 1);
  return String(rows[0]?.[0]);
}
