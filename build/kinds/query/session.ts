import {join} from 'node:path';
import type {DuckDBConnection, DuckDBType} from '@duckdb/node-api';
import type {Freeze} from '../../read/freezes.ts';
import {relation} from '../../rows/relation.ts';
import {identifier} from '../../rows/sql.ts';
import {Table} from '../../rows/table.ts';
import {isOutOfMemory, MEMORY_GB, QueryFault, SECONDS} from './fault.ts';

/** The rows of a query, as JSON values of DuckDB's making, and the types of its columns. */
export interface QueryResult {
  readonly columns: readonly {readonly name: string; readonly type: DuckDBType}[];
  readonly rows: readonly (readonly unknown[])[];
  /** How many there are in all, where all were read. */
  readonly total: number | undefined;
}

/** A DuckDB that holds frozen tables and nothing else. */
export interface Session {
  /** The first rows of one SELECT, before the next is asked. Throws DuckDB's errors, and a `QueryFault` where it takes too long. */
  ask(sql: string, limit: number): Promise<QueryResult>;
  /** The names of all functions that DuckDB has, in small letters. */
  readonly functions: ReadonlySet<string>;
  readonly close: () => void;
}

/**
 * Opens a DuckDB with the freezes as tables: no network, no file, no extension, no setting. One thread, so that sums of doubles and
 * aggregates that take any value give the same result on every machine.
 *
 * @param room the memory that the tables may take together: a freeze that does not fit is read from its files by every query
 */
export async function openSession(
  root: string,
  freezes: ReadonlyMap<string, Freeze>,
  room = `${MEMORY_GB}GB`,
): Promise<Session> {
  const {lock, openDuckDb} = await import('../../rows/duckdb.ts');
  const {connection, close} = await openDuckDb({threads: '1', memory_limit: room});
  try {
    const folders = [];
    for (const [name, freeze] of freezes)
      if (!(await load(connection, root, name, freeze))) folders.push(join(root, freeze.folder));
    // Queries have their memory, whatever the tables take.
    const taken = await firstRows(connection, 'SELECT sum(memory_usage_bytes)::DOUBLE FROM duckdb_memory()', 1);
    await connection.run(`SET memory_limit = '${Number(taken.rows[0]?.[0]) + MEMORY_GB * 1e9}B'`);
    await lock(connection, folders);
    const functions = await firstRows(
      connection,
      'SELECT DISTINCT lower(function_name) FROM duckdb_functions()',
      10_000,
    );
    return {
      ask: (sql, limit) => firstRows(connection, sql, limit),
      functions: new Set(functions.rows.map(([name]) => String(name))),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Loads a freeze into a table; where there is no room for it makes a view over its files, and returns false. */
async function load(connection: DuckDBConnection, root: string, name: string, freeze: Freeze): Promise<boolean> {
  const {fields} = new Table(freeze);
  const columns = fields.map((field, index) => `v${index} AS ${identifier(field.name)}`).join(', ');
  const rows = `${identifier(name)} AS SELECT ${columns} FROM (${relation(root, freeze, fields)})`;
  try {
    await connection.run(`CREATE TABLE ${rows}`);
    return true;
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    await connection.run(`CREATE VIEW ${rows}`);
    return false;
  }
}

async function firstRows(connection: DuckDBConnection, sql: string, limit: number): Promise<QueryResult> {
  const timer = setTimeout(() => {
    connection.interrupt();
  }, SECONDS * 1000);
  try {
    const reader = await connection.streamAndReadUntil(sql, limit);
    const names = reader.columnNames();
    return {
      columns: reader.columnTypes().map((type, index) => ({name: names[index] ?? '', type})),
      rows: reader.getRowsJson().slice(0, limit),
      total: reader.done ? reader.currentRowCount : undefined,
    };
  } catch (cause) {
    if (!(cause as Error).message.startsWith('INTERRUPT')) throw cause;
    throw new QueryFault(`takes longer than ${SECONDS} seconds`, undefined, {cause});
  } finally {
    clearTimeout(timer);
  }
}
