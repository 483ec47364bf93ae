import {join} from 'node:path';
import type {DuckDBConnection, DuckDBListVector, DuckDBVector} from '@duckdb/node-api';
import type {Numbers} from './distinct.ts';
import {literals} from './sql.ts';

export interface Database {
  /** Rows of a result as JSON values: BIGINT and DECIMAL arrive as text. */
  readonly query: (sql: string) => Promise<readonly (readonly unknown[])[]>;
  /** One row of aggregates: columns of text as they are, columns of DOUBLE lists as numbers that are not copied. */
  readonly aggregate: (sql: string) => Promise<readonly (string | null | Numbers)[]>;
  /** How much of the running query is done, from 0 to 100; below 0 where that is not known. */
  progress(): number;
  close(): void;
}

/**
 * Opens DuckDB in memory for reading below `data/sources`, locked: no network, no other files, no extensions, no spilling to disk.
 * The native module is loaded here and nowhere else, because it is the slowest part of a start.
 */
export async function openDatabase(root: string): Promise<Database> {
  const {DuckDBInstance, DuckDBListVector: Lists} = await import('./duckdb.ts');
  const cellOf = (vector: DuckDBVector | undefined) => (vector instanceof Lists ? numbersOf(vector) : textOf(vector));
  const open = async () => {
    const instance = await DuckDBInstance.create(':memory:', {temp_directory: ''});
    const connection = await instance.connect();
    await lock(connection, root);
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
    query: sql => using(async connection => (await connection.runAndReadAll(sql)).getRowsJson()),
    aggregate: sql =>
      using(async connection => {
        const chunk = await (await connection.run(sql)).fetchChunk();
        return Array.from({length: chunk?.columnCount ?? 0}, (_, column) => cellOf(chunk?.getColumnVector(column)));
      }),
    progress: () => opened.connection.progress.percentage,
    close,
  };
}

/** The callers' columns are text or lists of DOUBLE: this is where the database's types end. */
function textOf(vector: DuckDBVector | undefined): string | null {
  return (vector?.getItem(0) ?? null) as string | null;
}

/** The items of the only list, where they are. */
function numbersOf(list: DuckDBListVector): Numbers {
  const items = list.childVector;
  return {length: items.itemCount, at: index => items.getItem(index) as number};
}

async function lock(connection: DuckDBConnection, root: string): Promise<void> {
  await connection.run(`
    SET autoinstall_known_extensions = false;
    SET autoload_known_extensions = false;
    SET allow_community_extensions = false;
    SET allow_persistent_secrets = false;
    SET TimeZone = 'UTC';
    SET enable_progress_bar = true;
    SET enable_progress_bar_print = false;
    SET allowed_directories = ${literals([join(root, 'data', 'sources')])};
    SET enable_external_access = false;
    SET lock_configuration = true;
  `);
}
