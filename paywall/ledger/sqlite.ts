import {statSync} from 'node:fs';
import {open} from 'node:fs/promises';
import {setTimeout} from 'node:timers/promises';
import Connection from 'libsql';
import Promised from 'libsql/promise';
import type {Database, Row, Value} from './database.ts';
import {migrate} from './schema.ts';
import {SqlLedger, type SqlLedgerOptions} from './sql-ledger.ts';

/** How long a statement waits for other processes that write. */
const BUSY_MS = 5_000;
const BUSY_PAUSE_MS = 2;
const IN_MEMORY = ':memory:';

/** A connection to the files that were there when it was opened. */
interface Opened {
  readonly database: Database;
  readonly inodes: string;
}

/**
 * Opens the ledger in a file of SQLite, which the processes of one machine share, and makes it where there is none. Where the
 * file is gone later, every method rejects until one is put in its place.
 *
 * @param file its folder must exist; `:memory:` for a ledger that ends with the process
 */
export async function openSqlite(file: string, options?: SqlLedgerOptions): Promise<SqlLedger> {
  if (file === IN_MEMORY) return new SqlLedger(await connect(file), options);
  // SQLite would let others read it, and gives its companions the same mode.
  await (await open(file, 'a', 0o600)).close();
  let current: Opened | undefined = await openFile(file);
  let reopening: Promise<Opened> | undefined;
  async function reopen(): Promise<Opened> {
    const former = current;
    current = undefined;
    // First, for it takes its log along: what is in that goes into its file, and none of it into another.
    await former?.database.close();
    return (current = await openFile(file));
  }
  async function opened(): Promise<Database> {
    // Writes to a file that has lost its name are lost.
    if (current?.inodes === inodesOf(file)) return current.database;
    reopening ??= reopen().finally(() => {
      reopening = undefined;
    });
    return (await reopening).database;
  }
  const database: Database = {
    ...current.database,
    query: async (sql, values) => (await opened()).query(sql, values),
    close: async () => current?.database.close(),
  };
  return new SqlLedger(database, options);
}

async function openFile(file: string): Promise<Opened> {
  return {database: await connect(file), inodes: inodesOf(file)};
}

/** Of the file and its log. Throws where there is no file. */
function inodesOf(file: string): string {
  return `${statSync(file).ino} ${statSync(`${file}-wal`, {throwIfNoEntry: false})?.ino}`;
}

async function connect(file: string): Promise<Database> {
  const connection = new Connection(file);
  const database = databaseOn(connection);
  try {
    await patiently(() => {
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

/** Statements run in this thread, one after the other; for the disk they wait in a thread of the driver. */
export function databaseOn(connection: Connection.Database): Database {
  const prepared = new Map<string, Connection.Statement>();
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  }
  function run(sql: string, values: readonly Value[] = []): Row[] {
    const statement = prepared.get(sql) ?? connection.prepare(sql);
    prepared.set(sql, statement);
    return statement.all(...values) as Row[];
  }
  // A statement that finds the file locked stays open until it is tried again, and nothing that others write meanwhile is
  // committed. `BEGIN IMMEDIATE` leaves nothing open.
  async function transaction<T>(work: () => T | Promise<T>): Promise<T> {
    connection.exec('BEGIN IMMEDIATE');
    try {
      const result = await work();
      await commit(connection);
      return result;
    } catch (error) {
      // A full disk ends it by itself.
      if (connection.inTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  }
  return {
    query(sql, values) {
      const work = () => run(sql, values);
      return patiently(() => inTurn(/^\s*SELECT\b/i.test(sql) ? work : () => transaction(work)));
    },
    now: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
    transaction: work =>
      patiently(() => inTurn(() => transaction(() => work((sql, values) => Promise.resolve(run(sql, values)))))),
    close: () =>
      inTurn(() => {
        try {
          // One file to copy, where no other process has it open.
          connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        } catch {
          // A full disk has no room for it: what is not in the file stays in its log.
        }
        connection.close();
      }),
  };
}

/** Commits without stopping this thread. The driver's promises take connections of its other half, whose statements are quicker. */
function commit(connection: Connection.Database): Promise<void> {
  return (Promised.prototype.exec as (sql: string) => Promise<void>).call(connection, 'COMMIT');
}

/** Tries again while another process writes. SQLite would wait, too, but let no reader of this process have its turn meanwhile. */
async function patiently<T>(work: () => T | Promise<T>): Promise<T> {
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
