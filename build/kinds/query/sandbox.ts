import {join} from 'node:path';
import type {DuckDBConnection, DuckDBType} from '@duckdb/node-api';
import type {Freeze} from '../../read/freezes.ts';
import {lock} from '../../rows/lock.ts';
import {relation} from '../../rows/relation.ts';
import {identifier} from '../../rows/sql.ts';
import {Table} from '../../rows/table.ts';
import {QueryFault} from './syntax.ts';

/** What a publisher's query may use, at most. */
export const MEMORY = '1GB';
const SECONDS = 60;

/** The rows of a query, as JSON values of DuckDB's making, and the types of its columns. */
export interface QueryResult {
  readonly columns: readonly {readonly name: string; readonly type: DuckDBType}[];
  readonly rows: readonly (readonly unknown[])[];
}

/** A DuckDB that holds a product's tables and nothing else. */
export interface Sandbox {
  /** Runs one SELECT and returns its first rows. Throws DuckDB's error, or a `QueryFault` that says that the time is over. */
  run(sql: string, limit: number): Promise<QueryResult>;
  close(): void;
}

/**
 * Opens a DuckDB with the freezes as views: no network, no file but those of the freezes, no extension, no setting. One thread,
 * so that sums of doubles and aggregates that take any value give the same result on every machine.
 */
export async function openSandbox(root: string, freezes: ReadonlyMap<string, Freeze>): Promise<Sandbox> {
  const {DuckDBInstance} = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', {threads: '1', memory_limit: MEMORY, temp_directory: ''});
  const connection = await instance.connect();
  const close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  try {
    for (const [name, freeze] of freezes) await connection.run(viewOf(root, name, freeze));
    const folders = [...freezes.values()].map(freeze => join(root, freeze.folder));
    await lock(connection, folders);
  } catch (error) {
    close();
    throw error;
  }
  return {run: (sql, limit) => withinTime(connection, () => firstRows(connection, sql, limit)), close};
}

function viewOf(root: string, name: string, freeze: Freeze): string {
  const {fields} = new Table(freeze);
  const columns = fields.map((field, index) => `v${index} AS ${identifier(field.name)}`).join(', ');
  return `CREATE VIEW ${identifier(name)} AS SELECT ${columns} FROM (${relation(root, freeze, fields)})`;
}

async function firstRows(connection: DuckDBConnection, sql: string, limit: number): Promise<QueryResult> {
  const reader = await connection.streamAndReadUntil(sql, limit);
  const types = reader.columnTypes();
  const columns = reader
    .columnNames()
    .map((name, index) => ({name, type: types[index]}))
    .filter(hasType);
  return {columns, rows: reader.getRowsJson().slice(0, limit)};
}

function hasType<T>(column: {
  readonly name: string;
  readonly type: T | undefined;
}): column is {readonly name: string; readonly type: T} {
  return column.type !== undefined;
}

async function withinTime<T>(connection: DuckDBConnection, run: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    connection.interrupt();
  }, SECONDS * 1000);
  try {
    return await run();
  } catch (cause) {
    if (!(cause as Error).message.startsWith('INTERRUPT')) throw cause;
    throw new QueryFault(`takes longer than ${SECONDS} seconds`, undefined, {cause});
  } finally {
    clearTimeout(timer);
  }
}
