import {statSync} from 'node:fs';
import {access, constants, open} from 'node:fs/promises';
import {setTimeout} from 'node:timers/promises';
import Connection from 'libsql';
import Promised from 'libsql/promise';
import {newQueue} from '../../shared/queue.ts';
import type {Database, Row, Value} from './database.ts';
import {migrate} from './schema.ts';
import {SqlLedger} from './sql-ledger.ts';

/** How long a statement waits while other processes write. */
const BUSY_MS = 5_000;
const BUSY_PAUSE_MS = 2;
const IN_MEMORY = ':memory:';

/** A database with the inodes that its file and log had when it was opened. */
interface OpenFile {
  readonly database: Database;
  readonly inodes: string;
}

/**
 * Opens the ledger in a SQLite file, which the processes of one machine can share, and creates it if it does not exist. If the file is
 * removed later, every method rejects until the file or another one is put in its place.
 *
 * @param file its folder must exist; `:memory:` for a ledger that ends with the process
 */
export async function openSqlite(file: string, leaseMs?: number): Promise<SqlLedger> {
  if (file === IN_MEMORY) return new SqlLedger(await connect(file), leaseMs);
  await createFile(file);
  let current: OpenFile | undefined = await openFile(file);
  let reopening: Promise<OpenFile> | undefined;
  async function reopen(): Promise<OpenFile> {
    const previous = current;
    current = undefined;
    // Close first: this writes the log into the previous file and removes it, so that the new file does not get it.
    await previous?.database.close();
    return (current = await openFile(file));
  }
  async function currentDatabase(): Promise<Database> {
    // After the file was removed or replaced, writes through the previous connection would be lost.
    if (current?.inodes === inodesOf(file)) return current.database;
    reopening ??= reopen().finally(() => {
      reopening = undefined;
    });
    return (await reopening).database;
  }
  const database: Database = {
    now: current.database.now,
    query: async (sql, values) => (await currentDatabase()).query(sql, values),
    transaction: async work => (await currentDatabase()).transaction(work),
    close: async () => current?.database.close(),
  };
  return new SqlLedger(database, leaseMs);
}

/**
 * Creates the file, readable only by this user, unless it exists. SQLite itself would create it readable for others. SQLite creates the
 * log with the mode of the file. An existing file is not opened, because closing it would remove the locks that other connections of this
 * process have on it. Another process could then remove the log that they use.
 */
async function createFile(file: string): Promise<void> {
  try {
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (statSync(file).isDirectory()) throw new Error('it is a folder', {cause: error});
    await access(file, constants.R_OK | constants.W_OK);
  }
}

async function openFile(file: string): Promise<OpenFile> {
  return {database: await connect(file), inodes: inodesOf(file)};
}

/** Returns the inodes of the file and its log. Throws if the file does not exist. */
function inodesOf(file: string): string {
  return `${statSync(file).ino} ${statSync(`${file}-wal`, {throwIfNoEntry: false})?.ino}`;
}

async function connect(file: string): Promise<Database> {
  return prepareConnection(new Connection(file));
}

/** Makes the commits of a connection durable, and migrates its database. */
export async function prepareConnection(connection: Connection.Database, commit = commitInThread): Promise<Database> {
  const database = databaseOn(connection, commit);
  try {
    await retryWhileBusy(() => {
      connection.exec('PRAGMA journal_mode = WAL');
    });
    connection.exec('PRAGMA synchronous = FULL');
    await migrate(database);
    return database;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Returns the database of a connection. Statements run one at a time in this thread; commits wait for the disk in the driver's thread. */
export function databaseOn(connection: Connection.Database, commit = commitInThread): Database {
  const prepared = new Map<string, Connection.Statement>();
  const enqueue = newQueue();
  function run(sql: string, values: readonly Value[] = []): Row[] {
    const statement = prepared.get(sql) ?? connection.prepare(sql);
    prepared.set(sql, statement);
    return statement.all(...values) as Row[];
  }
  // Without `BEGIN IMMEDIATE`, a statement that finds the file locked stays open until it is tried again, and other statements on this
  // connection are not committed in the meantime.
  async function transaction<T>(work: () => T | Promise<T>): Promise<T> {
    connection.exec('BEGIN IMMEDIATE');
    try {
      const result = await work();
      await commit(connection);
      return result;
    } catch (error) {
      // A full disk rolls the transaction back by itself.
      if (connection.inTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  }
  return {
    query(sql, values) {
      const work = () => run(sql, values);
      return retryWhileBusy(() => enqueue(/^\s*SELECT\b/i.test(sql) ? work : () => transaction(work)));
    },
    now: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
    transaction: work =>
      retryWhileBusy(() => enqueue(() => transaction(() => work((sql, values) => Promise.resolve(run(sql, values)))))),
    close: () =>
      enqueue(() => {
        try {
          // Afterwards the file is complete without its log, unless another process has it open.
          connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        } catch {
          // If the disk is full, the changes stay in the log.
        }
        connection.close();
      }),
  };
}

/** Commits without blocking this thread. The driver's promise API accepts connections of its synchronous API, which runs statements faster. */
function commitInThread(connection: Connection.Database): Promise<void> {
  return (Promised.prototype.exec as (sql: string) => Promise<void>).call(connection, 'COMMIT');
}

/** Tries again while another process writes. SQLite could wait itself, but that would block the reads of this process. */
async function retryWhileBusy<T>(work: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + BUSY_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof Connection.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!isBusy || performance.now() > end) throw error;
      await setTimeout(BUSY_PAUSE_MS);
    }
  }
}
