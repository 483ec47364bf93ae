import Connection from 'libsql';
import type {Database, Row, Value} from '../../paywall/ledger/database.ts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {migrate} from '../../paywall/ledger/schema.ts';
import {SqlLedger} from '../../paywall/ledger/sql-ledger.ts';

const NOW = '(SELECT ms FROM clock)';

let opened: Promise<SqlLedger> | undefined;

/**
 * Opens an empty ledger in memory whose statements run at once, by the simulation's clock. All simulations of a process share the database,
 * one after the other: to migrate one takes as long as several purchases.
 */
export function openSimulatedLedger(): Promise<SqlLedger> {
  opened ??= migrated();
  return opened.then(async ledger => {
    await ledger.close();
    return ledger;
  });
}

async function migrated(): Promise<SqlLedger> {
  const connection = new Connection(':memory:');
  connection.exec('CREATE TABLE clock (ms BIGINT); INSERT INTO clock VALUES (0)');
  const setClock = connection.prepare('UPDATE clock SET ms = ?');
  const prepared = new Map<string, Connection.Statement>();
  let clock = 0;
  const run = (sql: string, values: readonly Value[] = []) => {
    if (sql.includes(NOW) && clock !== Date.now()) {
      clock = Date.now();
      setClock.run(clock);
    }
    const statement = prepared.get(sql) ?? connection.prepare(sql);
    prepared.set(sql, statement);
    return statement.all(...values) as Row[];
  };
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  }
  const database: Database = {
    query: (sql, values) => inTurn(() => run(sql, values)),
    now: NOW,
    transaction: work =>
      inTurn(async () => {
        connection.exec('BEGIN');
        try {
          await work((sql, values) => Promise.resolve(run(sql, values)));
          connection.exec('COMMIT');
        } catch (error) {
          connection.exec('ROLLBACK');
          clock = 0; // it was rolled back too
          throw error;
        }
      }),
    // Deletes what the last simulation wrote.
    close: () =>
      inTurn(() => {
        for (const table of ['sales', 'documents', 'sign_ins', 'transactions']) connection.exec(`DELETE FROM ${table}`);
      }),
  };
  await migrate(database);
  return new SqlLedger(database);
}

/** What happens to a call of the ledger: it takes seconds, fails before or after its effect, or its caller dies before or after it. */
export type LedgerFault = 'none' | 'slow' | 'fails before' | 'fails after' | 'dies before' | 'dies after';

/** How a gate reaches the ledger. */
interface Reach {
  readonly latencyNow: () => number;
  /** Drawn for each call. */
  readonly faultNow: () => LedgerFault;
  /** Whether the gate still runs: a dead one gets no answer, and has no effect. */
  readonly isAlive: () => boolean;
  /** Ends the gate. */
  readonly die: () => void;
  readonly trace: (event: () => string) => void;
}

/** The ledger as one gate reaches it. */
export function reachedBy(ledger: Ledger, {latencyNow, faultNow, isAlive, die, trace}: Reach): Ledger {
  const never = () => new Promise<never>(() => undefined);
  return new Proxy(ledger, {
    get(target, name) {
      const method = Reflect.get(target, name, target) as unknown;
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        await new Promise(resolve => setTimeout(resolve, latencyNow()));
        const fault = faultNow();
        // A lease may end meanwhile.
        if (fault === 'slow') await new Promise(resolve => setTimeout(resolve, latencyNow() * 1_000));
        if (fault === 'dies before') die();
        if (!isAlive()) return never();
        if (fault === 'fails before') throw new Error('the ledger does not answer');
        const result = await (method as (...args: unknown[]) => Promise<unknown>).apply(target, args);
        trace(() => `${String(name)} ${args.map(brief).join(' ')}: ${brief(result)} ${fault}`);
        if (fault === 'dies after') die();
        if (!isAlive()) return never();
        if (fault === 'fails after') throw new Error('the answer of the ledger is lost');
        return result;
      };
    },
  });
}

function brief(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text
    .replaceAll(/eip155:84532 0x036cbd53842c5426634e7929541ec2318f3dcf7e (0x....)\w+ (0x....)\w+/g, '$1 $2')
    .slice(0, 160);
}
