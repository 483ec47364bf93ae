import {randomUUID} from 'node:crypto';
import postgres from 'postgres';
import type {Database, Query, Row} from './database.ts';
import {migrate} from './schema.ts';
import {SqlLedger} from './sql-ledger.ts';

/** Connections per process, unless the address sets `max`. */
const CONNECTIONS = '10';
const CONNECT_SECONDS = 4;
/** The pause after a failed connection. The driver's default grows with each failure, which delays recovery. */
const RECONNECT_SECONDS = 0.1;
/** The timeout of a statement. It normally takes milliseconds, and a buyer is waiting for it. */
const ANSWER_MS = 5_000;
/** The code of Postgres for a write on a server that allows only reads. */
const READ_ONLY = '25006';
/** The key of the advisory lock for transactions: an arbitrary number. */
const TRANSACTION_LOCK = 402_402;

/** Opens the ledger in a Postgres database, which several machines can share, and creates missing tables. */
export async function openPostgres(url: string): Promise<SqlLedger> {
  const database = databaseAt(url);
  try {
    const [row] = await database.query(
      `SELECT current_setting('synchronous_commit') AS commits, current_setting('default_transaction_isolation') AS isolation`,
    );
    if (row?.['commits'] === 'off')
      throw new Error('it confirms changes before they are on disk: set synchronous_commit to on');
    // Concurrent statements would fail, or not see each other after they waited for a lock.
    if (row?.['isolation'] !== 'read committed')
      throw new Error(
        `its transactions are isolated as ${row?.['isolation']}: set default_transaction_isolation to read committed`,
      );
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return new SqlLedger(database);
}

/**
 * Returns the database at a URL. It connects when the first statement runs. The URL may set `max`, the number of connections. Throws `Error`
 * if that is not a number from 1.
 */
export function databaseAt(url: string): Database {
  // The driver would open one connection for a text. The URL may name several hosts, so `URL` cannot parse it.
  const max = /[?&]max=([^&#]*)/.exec(url)?.[1] ?? CONNECTIONS;
  if (!/^[1-9]\d{0,3}$/.test(max)) throw new Error('max is the number of connections, such as ?max=3');
  const connect = () => {
    // The name of its sessions in Postgres.
    const name = `frozen ${randomUUID()}`;
    const sql = postgres(url, {
      max: Number(max),
      connect_timeout: CONNECT_SECONDS,
      backoff: () => RECONNECT_SECONDS,
      fetch_types: false,
      onnotice: () => undefined,
    });
    // Not an option, because an `application_name` in the URL would replace it.
    Object.assign(sql.options.connection, {application_name: name});
    return {name, sql};
  };
  let current = connect();
  let isClosed = false;
  /** Closes all connections, which rejects their statements. */
  function abandon(pool: typeof current): void {
    // Statements often time out together. After `close`, a new connection would never be closed.
    if (pool !== current || isClosed) return;
    current = connect();
    void pool.sql.end({timeout: 0});
    // A session that waits for a lock does not notice that, so such sessions would use up the connections that Postgres allows.
    current.sql
      .unsafe('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [pool.name])
      .catch(() => undefined);
  }
  /** Replaces the connections if the server became read-only: after a failover, the same address may lead to another server. */
  function renewAfter(pool: typeof current, error: unknown): void {
    if ((error as {readonly code?: unknown}).code !== READ_ONLY || pool !== current || isClosed) return;
    current = connect();
    pool.sql.end({timeout: CONNECT_SECONDS}).catch(() => undefined);
  }
  return {
    async query(text, values) {
      const pool = current;
      const timeout = new AbortController();
      // A dead connection can go unnoticed for minutes.
      const timer = setTimeout(() => {
        timeout.abort();
        abandon(pool);
      }, ANSWER_MS);
      try {
        return await queryOn(pool.sql)(text, values);
      } catch (error) {
        renewAfter(pool, error);
        throw timeout.signal.aborted ? new Error('Postgres does not answer', {cause: error}) : error;
      } finally {
        clearTimeout(timer);
      }
    },
    now: '(extract(epoch FROM statement_timestamp()) * 1000)::bigint',
    async transaction(work) {
      const pool = current;
      const done = pool.sql.begin(async transaction => {
        // A session whose client is gone can keep a lock for hours.
        await transaction.unsafe(
          `SET LOCAL lock_timeout = ${ANSWER_MS}; SELECT pg_advisory_xact_lock(${TRANSACTION_LOCK})`,
        );
        await work(queryOn(transaction));
      });
      await done.catch((error: unknown) => {
        renewAfter(pool, error);
        throw error;
      });
    },
    close() {
      isClosed = true;
      return current.sql.end({timeout: CONNECT_SECONDS});
    },
  };
}

function queryOn(sql: postgres.Sql | postgres.TransactionSql): Query {
  return async (text, values = []) => {
    let position = 0;
    const numbered = text.replaceAll('?', () => `$${++position}`);
    // Not prepared: the driver repeats a prepared statement that the server refuses, for example because a column was added or a pooler
    // changed the session, and can then give it the rows of another statement.
    return [...(await sql.unsafe<Row[]>(numbered, [...values]))];
  };
}
