import {join} from 'node:path';
import type {DuckDBConnection} from '@duckdb/node-api';
import type {OnNumbers} from './duckdb.ts';
import {lock} from './lock.ts';

export interface Database {
  /** Rows of a result as JSON values: BIGINT and DECIMAL arrive as text. Queries that call `taken_over` are asked one after the other. */
  readonly query: (sql: string, onNumbers?: OnNumbers) => Promise<readonly (readonly unknown[])[]>;
  /** How much of the running query is done, from 0 to 100; below 0 where that is not known, or not counted. */
  progress(): number;
  close(): void;
}

/**
 * Opens DuckDB in memory for reading below `data/sources`, locked: no network, no other files, no extensions, no spilling to disk.
 * The native module is loaded only now, because it is the slowest part of a start.
 *
 * @param counted whether it counts how much of a query is done: DuckDB then spends a tenth of its time on that
 */
export async function openDatabase(
  root: string,
  {counted = false, threads}: {counted?: boolean; threads?: number | undefined} = {},
): Promise<Database> {
  const {DuckDBInstance, takenOverFunction} = await import('./duckdb.ts');
  let listener: OnNumbers | undefined;
  const open = async () => {
    const instance = await DuckDBInstance.create(':memory:', {
      temp_directory: '',
      ...(threads !== undefined && {threads: String(threads)}),
    });
    const connection = await instance.connect();
    connection.registerScalarFunction(takenOverFunction((list, numbers) => listener?.(list, numbers)));
    await connection.run(`SET enable_progress_bar = ${counted}; SET enable_progress_bar_print = false;`);
    await lock(connection, [join(root, 'data', 'sources')]);
    return {instance, connection};
  };
  let opened = await open();
  const close = () => {
    opened.connection.closeSync();
    opened.instance.closeSync();
  };
  /** After an error of its own DuckDB refuses all further work, so it is opened afresh: the next list may be good. */
  const using = async <T>(use: (connection: DuckDBConnection) => Promise<T>): Promise<T> => {
    try {
      return await use(opened.connection);
    } catch (error) {
      if (/^(INTERNAL|FATAL) Error/.test((error as Error).message)) {
        close();
        opened = await open();
      }
      throw error;
    }
  };
  return {
    query: (sql, onNumbers) =>
      using(async connection => {
        listener = onNumbers ?? listener;
        return (await connection.runAndReadAll(sql)).getRowsJson();
      }),
    progress: () => opened.connection.progress.percentage,
    close,
  };
}
