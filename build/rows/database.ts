import {randomUUID} from 'node:crypto';
import {rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {addRepeatedHash} from './distinct.ts';

export interface Database {
  /** Returns the rows of a result as JSON values. BIGINT and DECIMAL are strings. */
  readonly query: (sql: string) => Promise<readonly (readonly unknown[])[]>;
  /** How much of the running query is done, from 0 to 100. Negative if unknown or not counted. */
  progress(): number;
  /** A folder outside the site, which may not exist, and whose files it may also read. Closing the database removes it. */
  readonly scratch: string;
  close(): void;
}

/**
 * Opens an in-memory DuckDB that may only read files below `data/sources` and its scratch folder: no network, no other files, no
 * extensions, no temporary files.
 * @param counted measure the progress of queries, which costs DuckDB a tenth of its time
 */
export async function openDatabase(
  root: string,
  {counted = false}: {readonly counted?: boolean} = {},
): Promise<Database> {
  const {lock, openDuckDb} = await import('./duckdb.ts');
  const scratch = join(tmpdir(), `frozen-${randomUUID()}`);
  const open = async () => {
    const {connection, close} = await openDuckDb();
    await addRepeatedHash(connection);
    await connection.run(`SET enable_progress_bar = ${counted}; SET enable_progress_bar_print = false;`);
    await lock(connection, [join(root, 'data', 'sources'), scratch]);
    return {connection, close};
  };
  let opened = await open();
  return {
    async query(sql) {
      try {
        return (await opened.connection.runAndReadAll(sql)).getRowsJson();
      } catch (error) {
        // After an internal error DuckDB refuses all further work, so it is opened again for the next list.
        if (error instanceof Error && /^(INTERNAL|FATAL) Error/.test(error.message)) {
          opened.close();
          opened = await open();
        }
        throw error;
      }
    },
    progress: () => opened.connection.progress.percentage,
    scratch,
    close: () => {
      opened.close();
      rmSync(scratch, {recursive: true, force: true});
    },
  };
}
