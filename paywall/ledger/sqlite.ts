import Connection from 'libsql';
import {migrate, SqlLedger, type Database, type Query, type Row, type SqlLedgerOptions} from './sql-ledger.ts';

/** How long a process waits for another that writes. */
const BUSY_MS = 5_000;

/**
 * Opens the books in a file of SQLite, which the processes of one machine share, and makes it where there is none.
 *
 * @param file its folder must be there
 */
export async function openSqlite(file: string, options?: SqlLedgerOptions): Promise<SqlLedger> {
  const connection = new Connection(file);
  const database = databaseOn(connection);
  try {
    connection.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    connection.exec('PRAGMA journal_mode = WAL');
    connection.exec('PRAGMA synchronous = FULL');
    await migrate(database);
  } catch (error) {
    connection.close();
    throw error;
  }
  return new SqlLedger(database, options);
}

/** A commit waits for the disk, a fraction of a millisecond to some: less than a message to a thread and back would take. */
function databaseOn(connection: Connection.Database): Database {
  const prepared = new Map<string, Connection.Statement>();
  const query: Query = (sql, values = []) => {
    try {
      const statement = prepared.get(sql) ?? connection.prepare(sql);
      prepared.set(sql, statement);
      return Promise.resolve(statement.all(...values) as Row[]);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return {
    query,
    now: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
    async alone(work) {
      connection.exec('BEGIN IMMEDIATE');
      try {
        await work(query);
        connection.exec('COMMIT');
      } catch (error) {
        connection.exec('ROLLBACK');
        throw error;
      }
    },
    close() {
      connection.close();
      return Promise.resolve();
    },
  };
}
