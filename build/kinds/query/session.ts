import type {DuckDBConnection, DuckDBType} from '@duckdb/node-api';
import type {Freeze} from '../../read/freezes.ts';
import {MEMORY_GB, QueryFault, SECONDS} from './fault.ts';
import {loadTable, type Order} from './tables.ts';

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

/** The memory for loading the tables: sorting holds the rows twice. */
const ROOM = `${2 * MEMORY_GB}GB`;

/** How a session works. */
export interface Manner {
  /** The order in which its tables hold their rows. */
  readonly order: Order;
  readonly threads: number;
  /** The memory that loading the tables may take: a freeze that does not fit is read from its files by every query. */
  readonly room?: string;
}

/** The session whose results are published. */
export const BY_KEY: Manner = {order: 'ASC', threads: 1};

/** The opposite on any machine: a result that depends on the order of rows, or on how threads share them, comes out differently. */
export const TURNED_ROUND: Manner = {order: 'DESC', threads: 4};

/** Opens a DuckDB with the freezes as tables: no network, no file, no extension, no setting. */
export async function openSession(
  root: string,
  freezes: ReadonlyMap<string, Freeze>,
  {order, threads, room = ROOM}: Manner,
): Promise<Session> {
  const {lock, openDuckDb} = await import('../../rows/duckdb.ts');
  const {connection, close} = await openDuckDb({threads: String(threads), memory_limit: room});
  try {
    const folders = [];
    for (const [name, freeze] of freezes) folders.push(...(await loadTable(connection, root, name, freeze, order)));
    // Queries get this memory on top of what the tables take.
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
