import {randomUUID} from 'node:crypto';
import {rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {addRepeatedHash} from './distinct.ts';

export interface Database {
  /** Rows of a result as JSON values: BIGINT and DECIMAL arrive as text. */
  readonly query: (sql: string) => Promise<readonly (readonly unknown[])[]>;
  /** How much of the running query is done, from 0 to 100; below 0 where that is not known, or not counted. */
  progress(): number;
  /** A folder that need not exist, outside the site, whose files it may also read; closing the database removes it. */
  readonly scratch: string;
  close(): void;
}

/**
 * Opens DuckDB in memory for reading below `data/sources` and its scratch folder, locked: no network, no other files, no extensions, no
 * spilling to disk.
 *
 * @param counted whether it counts how much of a query is done: DuckDB then spends a tenth of its time on that
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
        // After an error of its own DuckDB refuses all further work, so it is opened afresh: the next list may be good.
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
