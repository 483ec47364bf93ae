import {join, dirname} from 'node:path';
import type {DuckDBConnection, DuckDBType} from '@duckdb/node-api';
import type {Freeze} from '../../read/freezes.ts';
import {isOutOfMemory, MEMORY_GB, queryError} from './fault.ts';
import {relation} from '../../rows/relation.ts';
import {identifier} from '../../rows/sql.ts';
import {Table} from '../../rows/table.ts';

/** The rows of a query as JSON values made by DuckDB, and the types of its columns. */
export interface QueryResult {
  readonly columns: readonly {readonly name: string; readonly type: DuckDBType}[];
  readonly rows: readonly (readonly unknown[])[];
  /** The number of all rows, if all were read. */
  readonly total: number | undefined;
}

/** A DuckDB that has only the frozen tables. */
export interface Session {
  /** Returns the first rows of one SELECT. One query runs at a time. Throws DuckDB's errors. */
  ask(sql: string, limit: number): Promise<QueryResult>;
  /** The number of columns of a SELECT. Throws DuckDB's errors. */
  widthOf(sql: string): Promise<number>;
  readonly functions: ReadonlySet<string>;
  readonly close: () => Promise<void>;
}

/** The memory for loading the tables. Sorting needs the rows twice. More than this goes to temporary files. */
const LOADING_MEMORY = `${2 * MEMORY_GB}GB`;

/** The number of threads does not affect sorted rows. A single thread buffers too many of them before writing to disk. */
const LOADING_THREADS = 4;

/** The options of a session. */
export interface SessionOptions {
  readonly order: Order;
  readonly threads: number;
  readonly memory?: string;
}

/** The session whose results are published. */
export const BY_KEY: SessionOptions = {order: 'ASC', threads: 1};

/** The opposite order on any machine, so that a result that depends on the order of rows or on threads comes out differently. */
export const REVERSED: SessionOptions = {order: 'DESC', threads: 4};

/**
 * Opens a DuckDB with the freezes as tables, without access to network, files, extensions or settings.
 * @param scratch a folder for temporary files if tables do not fit in memory; the caller removes it
 */
export async function openSession(
  freezes: ReadonlyMap<string, Freeze>,
  scratch: string,
  {order, threads, memory = LOADING_MEMORY}: SessionOptions,
): Promise<Session> {
  const {lock, openDuckDb} = await import('../../rows/duckdb.ts');
  const {connection, close} = await openDuckDb({
    threads: String(LOADING_THREADS),
    memory_limit: memory,
    temp_directory: join(scratch, order), // one folder per DuckDB
  });
  try {
    for (const [name, freeze] of freezes) await loadTable(connection, name, freeze, {order, scratch});
    // Queries get this memory in addition to that of the tables, and no more disk space than the tables need.
    const {rows} = await firstRows(connection, TABLE_BYTES, 2); // 2: one more than the rows of the result, so that it is read to its end
    const [inMemory, onDisk] = (rows[0] ?? []).map(Number) as [number, number];
    await connection.run(`SET threads = ${threads}`);
    await connection.run(`SET memory_limit = '${inMemory + MEMORY_GB * 1e9}B'`);
    await connection.run(`SET max_temp_directory_size = '${onDisk > 0 ? inMemory + onDisk : 0}B'`);
    await lock(connection, []);
    functions ??= new Set((await firstRows(connection, FUNCTIONS, 10_000)).rows.map(([name]) => String(name)));
    return {
      ask: (sql, limit) => firstRows(connection, sql, limit),
      widthOf: sql => widthOf(connection, sql),
      functions,
      async close() {
        // A result that was not read to its end keeps a closed DuckDB in memory until it is collected.
        for (const name of freezes.keys())
          await connection.run(`DROP TABLE ${identifier(name)}`).catch(() => undefined);
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** The names of all functions, which are the same in every session. Listing them takes half of the time of opening a small table. */
let functions: ReadonlySet<string> | undefined;

const FUNCTIONS = 'SELECT DISTINCT lower(function_name) FROM duckdb_functions()';

/** The bytes of all tables, in memory and on disk. */
const TABLE_BYTES = `
  SELECT (SELECT sum(memory_usage_bytes)::DOUBLE FROM duckdb_memory()),
    (SELECT coalesce(sum(size), 0)::DOUBLE FROM duckdb_temporary_files())`;

async function widthOf(connection: DuckDBConnection, sql: string): Promise<number> {
  const prepared = await connection.prepare(sql);
  try {
    return prepared.columnCount;
  } finally {
    prepared.destroySync();
  }
}

async function firstRows(connection: DuckDBConnection, sql: string, limit: number): Promise<QueryResult> {
  const reader = await connection.streamAndReadUntil(sql, limit);
  const names = reader.columnNames();
  return {
    columns: reader.columnTypes().map((type, index) => ({name: names[index] ?? '', type})),
    rows: reader.getRowsJson().slice(0, limit),
    total: reader.done ? reader.currentRowCount : undefined,
  };
}

/** The order of the rows in a table, by their key or, without a key, by all columns. The two orders are exact opposites. */
type Order = 'ASC' | 'DESC';

/** Loads a freeze into a table, in order. Throws `InputError` if neither the memory nor the disk below `scratch` has space for it. */
export async function loadTable(
  connection: DuckDBConnection,
  name: string,
  freeze: Freeze,
  {order, scratch}: {readonly order: Order; readonly scratch: string},
): Promise<void> {
  const {fields, key} = new Table(freeze);
  const columns = fields.map((field, index) => `v${index} AS ${identifier(field.name)}`).join(', ');
  const by = key.length > 0 ? key.map(column => `${identifier(column)} ${order}`).join(', ') : `ALL ${order}`;
  try {
    await connection.run(
      `CREATE TABLE ${identifier(name)} AS SELECT ${columns} FROM (${relation(freeze, fields)}) ORDER BY ${by}`,
    );
  } catch (cause) {
    if (!isOutOfMemory(cause) && !(cause as Error).message.includes(scratch)) throw cause;
    const rule = `reads ${freeze.folder}, which needs more space than the memory and ${dirname(scratch)} have`;
    const fix = 'Set TMPDIR to a folder with more space.';
    throw queryError({rule, fix}, {cause, code: 'FZ304'});
  }
}
