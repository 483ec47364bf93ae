import postgres from 'postgres';
import type {Database, Query, Row} from './database.ts';
import {migrate} from './schema.ts';
import {SqlLedger, type SqlLedgerOptions} from './sql-ledger.ts';

/** Connections of one process. */
const CONNECTIONS = 10;
const CONNECT_SECONDS = 4;
/** Between a connection that failed and the next. By default that grows, and recovery waits for it. */
const RECONNECT_SECONDS = 0.1;
/** A statement takes milliseconds; a buyer is waiting for it. */
const ANSWER_MS = 5_000;
/** The advisory lock of migrations: any number that nobody else uses. */
const MIGRATION_LOCK = 402_402;

/** Opens the ledger in a database of Postgres, which several machines share. The tables are made where there are none. */
export async function openPostgres(url: string, options?: SqlLedgerOptions): Promise<SqlLedger> {
  const database = databaseAt(url);
  try {
    await migrate(database);
    const [row] = await database.query('SHOW synchronous_commit');
    if (row?.['synchronous_commit'] === 'off')
      throw new Error('it answers before it has written to disk: set synchronous_commit to on');
  } catch (error) {
    await database.close();
    throw error;
  }
  return new SqlLedger(database, options);
}

/** Connects when the first statement is run. */
export function databaseAt(url: string): Database {
  const connect = () =>
    postgres(url, {
      max: CONNECTIONS,
      connect_timeout: CONNECT_SECONDS,
      backoff: () => RECONNECT_SECONDS,
      fetch_types: false,
      onnotice: () => undefined,
    });
  let sql = connect();
  return {
    async query(text, values) {
      const asked = sql;
      const late = new AbortController();
      // A connection can be dead for minutes before anybody says so: all are given up, which rejects what waits for them.
      const timer = setTimeout(() => {
        late.abort();
        if (asked === sql) sql = connect();
        void asked.end({timeout: 0});
      }, ANSWER_MS);
      try {
        return await queryOn(asked)(text, values);
      } catch (error) {
        throw late.signal.aborted ? new Error('Postgres does not answer', {cause: error}) : error;
      } finally {
        clearTimeout(timer);
      }
    },
    now: '(extract(epoch FROM statement_timestamp()) * 1000)::bigint',
    async transaction(work) {
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
    return [...(await sql.unsafe<Row[]>(numbered, [...values], {prepare: true}))];
  };
}
