import {statSync} from 'node:fs';
import {open} from 'node:fs/promises';
import {setTimeout} from 'node:timers/promises';
import Connection from 'libsql';
import type {Database, Row, Value} from './database.ts';
import {migrate} from './schema.ts';
import {SqlLedger, type SqlLedgerOptions} from './sql-ledger.ts';

/** How long a statement waits for other processes that write. */
const BUSY_MS = 5_000;
const BUSY_PAUSE_MS = 2;
const IN_MEMORY = ':memory:';

/** A connection to the file that was there when it was opened. */
interface Opened {
  readonly database: Database;
  readonly inode: number;
}

/**
 * Opens the ledger in a file of SQLite, which the processes of one machine share, and makes it where there is none. Where the
 * file is gone later, every method rejects until one is put in its place.
 *
 * @param file its folder must exist; `:memory:` for a ledger that ends with the process
 */
export async function openSqlite(file: string, options?: SqlLedgerOptions): Promise<SqlLedger> {
  if (file === IN_MEMORY) return new SqlLedger((await connect(file, 0)).database, options);
  // SQLite would let others read it, and gives its companions the same mode.
  await (await open(file, 'a', 0o600)).close();
  let current = await connect(file, statSync(file).ino);
  let reopening: Promise<void> | undefined;
  async function reopen(): Promise<void> {
    const former = current;
    current = await connect(file, statSync(file).ino);
    await former.database.close();
  }
  const database: Database = {
    ...current.database,
    async query(sql, values) {
      // What is written to a file without a name is lost.
      if (statSync(file).ino !== current.inode) {
        reopening ??= reopen().finally(() => {
          reopening = undefined;
        });
        await reopening;
      }
      return current.database.query(sql, values);
    },
    close: () => current.database.close(),
  };
  return new SqlLedger(database, options);
}

async function connect(file: string, inode: number): Promise<Opened> {
  const connection = new Connection(file);
  const database = databaseOn(connection);
  try {
    await patiently(() => {
      connection.exec('PRAGMA journal_mode = WAL');
    });
    connection.exec('PRAGMA synchronous = FULL');
    await migrate(database);
  } catch (error) {
    connection.close();
    throw error;
  }
  return {database, inode};
}

/** Statements run in this thread: one that writes stops the process until it is on disk, for about a millisecond. */
export function databaseOn(connection: Connection.Database): Database {
  const prepared = new Map<string, Connection.Statement>();
  function run(sql: string, values: readonly Value[] = []): Row[] {
    const statement = prepared.get(sql) ?? connection.prepare(sql);
    prepared.set(sql, statement);
    return statement.all(...values) as Row[];
  }
  // A statement that finds the file locked stays open until it is tried again, and nothing that others write meanwhile is
  // committed. `BEGIN IMMEDIATE` leaves nothing open.
  function write(sql: string, values?: readonly Value[]): Row[] {
    connection.exec('BEGIN IMMEDIATE');
    try {
      const rows = run(sql, values);
      connection.exec('COMMIT');
      return rows;
    } catch (error) {
      connection.exec('ROLLBACK');
      throw error;
    }
  }
  return {
    query: (sql, values) => patiently(() => (/^\s*SELECT\b/i.test(sql) ? run : write)(sql, values)),
    now: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
    async alone(work) {
      await patiently(() => {
        connection.exec('BEGIN IMMEDIATE');
      });
      try {
        await work((sql, values) => Promise.resolve(run(sql, values)));
        connection.exec('COMMIT');
      } catch (error) {
        connection.exec('ROLLBACK');
        throw error;
      }
    },
    close() {
      try {
        // One file to copy, where no other process has it open.
        connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } finally {
        connection.close();
      }
      return Promise.resolve();
    },
  };
}

/** Tries again while another process writes. SQLite's own way of waiting would stop this process for as long. */
async function patiently<T>(work: () => T): Promise<T> {
  const end = performance.now() + BUSY_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isBusy = error instanceof Connection.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!isBusy || performance.now() > end) throw error;
      await setTimeout(BUSY_PAUSE_MS);
    }
  }
}
