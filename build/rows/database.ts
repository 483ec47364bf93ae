import {join} from 'node:path';
import type {DuckDBConnection} from '@duckdb/node-api';
import {addRepeatedHash} from './distinct.ts';
import {literals} from './sql.ts';

export interface Database {
  /** Rows of a result as JSON values: BIGINT and DECIMAL arrive as text. */
  readonly query: (sql: string) => Promise<readonly (readonly unknown[])[]>;
  /** How much of the running query is done, from 0 to 100; below 0 where that is not known, or not counted. */
  progress(): number;
  close(): void;
}

/**
 * Opens DuckDB in memory for reading below `data/sources`, locked: no network, no other files, no extensions, no spilling to disk.
 * The native module is loaded only now, because it is the slowest part of a start.
 *
 * @param counted whether it counts how much of a query is done: DuckDB then spends a tenth of its time on that
 * @param threads how many it works with; without it, as many as there are cores
 */
export async function openDatabase(
  root: string,
  {counted = false, threads}: {readonly counted?: boolean; readonly threads?: number | undefined} = {},
): Promise<Database> {
  const {DuckDBInstance} = await import('@duckdb/node-api');
  const settings = {temp_directory: '', ...(threads === undefined ? {} : {threads: String(threads)})};
  const open = async () => {
    const instance = await DuckDBInstance.create(':memory:', settings);
    const connection = await instance.connect();
    await addRepeatedHash(connection);
    await connection.run(`SET enable_progress_bar = ${counted}; SET enable_progress_bar_print = false;`);
    await lock(connection, [join(root, 'data', 'sources')]);
    return {instance, connection};
  };
  let opened = await open();
  const close = () => {
    opened.connection.closeSync();
    opened.instance.closeSync();
  };
  return {
    async query(sql) {
      try {
        return (await opened.connection.runAndReadAll(sql)).getRowsJson();
      } catch (error) {
        // After an error of its own DuckDB refuses all further work, so it is opened afresh: the next list may be good.
        if (error instanceof Error && /^(INTERNAL|FATAL) Error/.test(error.message)) {
          close();
          opened = await open();
        }
        throw error;
      }
    },
    progress: () => opened.connection.progress.percentage,
    close,
  };
}

/** Locks a DuckDB for good: no network, no files but those below these folders, no extensions, no time zone of this machine. */
export async function lock(connection: DuckDBConnection, folders: readonly string[]): Promise<void> {
  await connection.run(`
    SET autoinstall_known_extensions = false;
    SET autoload_known_extensions = false;
    SET allow_community_extensions = false;
    SET allow_persistent_secrets = false;
    SET TimeZone = 'UTC';
    SET allowed_directories = ${literals(folders)};
    SET enable_external_access = false;
    SET lock_configuration = true;
  `);
}
