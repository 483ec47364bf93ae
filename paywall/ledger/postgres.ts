import postgres from 'postgres';
import {migrate, SqlLedger, type Database, type Query, type Row, type SqlLedgerOptions} from './sql-ledger.ts';

/** Connections of one process. */
const CONNECTIONS = 10;
const CONNECT_SECONDS = 5;
/** Of the lock under which the books are brought up to date; any number that nobody else uses. */
const MIGRATION_LOCK = 402_402;

/** Opens the books in a database of Postgres, which several machines share. The tables are made where there are none. */
export async function openPostgres(url: string, options?: SqlLedgerOptions): Promise<SqlLedger> {
  const sql = postgres(url, {max: CONNECTIONS, connect_timeout: CONNECT_SECONDS, onnotice: () => undefined});
  const database = databaseOn(sql);
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return new SqlLedger(database, options);
}

function databaseOn(sql: postgres.Sql): Database {
  return {
    query: queryOn(sql),
    now: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
    async alone(work) {
      await sql.begin(async transaction => {
        await transaction`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;
        await work(queryOn(transaction));
      });
    },
    close: () => sql.end({timeout: CONNECT_SECONDS}),
  };
}

function queryOn(sql: postgres.Sql | postgres.TransactionSql): Query {
  return async (text, values = []) => {
    let place = 0;
    const numbered = text.replaceAll('?', () => `$${++place}`);
    return [...(await sql.unsafe<Row[]>(numbered, [...values]))];
  };
}
