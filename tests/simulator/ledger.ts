import Connection from 'libsql';
import type {Database, Value} from '../../paywall/ledger/database.ts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {databaseIn} from '../../paywall/ledger/object-ledger.ts';
import {migrate} from '../../paywall/ledger/schema.ts';
import {prepareConnection} from '../../paywall/ledger/sqlite.ts';
import {SqlLedger} from '../../paywall/ledger/sql-ledger.ts';
import {sleep} from '../../paywall/payments/services.ts';
import type {SimulatedGate} from './gate.ts';
import {cached} from './keys.ts';
import {requests} from './requests.ts';
import type {World} from './world.ts';

/** Node's own driver, from Node 22.13 on, is three times as fast as the gate's. */
const {DatabaseSync = Connection} = (process.getBuiltinModule('node:sqlite') ?? {}) as {
  readonly DatabaseSync?: new (path: string) => Connection.Database;
};
/** A value of a statement, or the time of the simulation's clock. */
const VALUES = /\?|unixepoch\('subsec'\)/g;

/** The statements of a transaction with a commit that is not synced. */
const UNSYNCED: Readonly<Record<string, readonly string[]>> = {
  'BEGIN IMMEDIATE': ['SAVEPOINT work'],
  COMMIT: ['RELEASE work'],
  ROLLBACK: ['ROLLBACK TO work', 'RELEASE work'],
};

type Prepared = Readonly<{all: (...values: unknown[]) => Record<string, Value>[]}>;

/** A SQLite database in memory on a disk that loses what was not synced when the power fails. */
class Memory {
  readonly #memory = new DatabaseSync(':memory:');
  readonly #prepared = new Map<string, Prepared>();
  /** True if each commit is synced. Otherwise all commits since the last sync are savepoints in an open transaction. */
  #isSynced = false;
  #hasUnsynced = false;

  exec(sql: string): void {
    if (sql.startsWith('PRAGMA synchronous')) this.#isSynced = sql.endsWith('FULL');
    if (sql.startsWith('PRAGMA')) return;
    const statements = this.#isSynced ? [sql] : UNSYNCED[sql];
    if (!statements) throw new Error(`the simulated disk does not know ${sql}`);
    if (!this.#isSynced && !this.#hasUnsynced) this.#run('BEGIN');
    this.#hasUnsynced = !this.#isSynced;
    for (const statement of statements) this.#run(statement);
  }

  readonly inTransaction = true;

  prepare(sql: string): Prepared {
    return cached(this.#prepared, sql, () => {
      const statement = this.#memory.prepare(sql.replaceAll(VALUES, '?')) as Prepared;
      const times = (sql.match(VALUES) ?? []).map(name => name !== '?');
      if (!times.includes(true)) return statement;
      return {all: (...values) => statement.all(...times.map(isTime => (isTime ? Date.now() / 1000 : values.shift())))};
    });
  }

  /** Ends what is not synced: a power failure loses it. */
  end(statement: 'COMMIT' | 'ROLLBACK'): void {
    if (this.#hasUnsynced) this.#run(statement);
    this.#hasUnsynced = false;
  }

  clear(): void {
    this.end('COMMIT');
    for (const table of ['sales', 'documents', 'sign_ins', 'collections', 'transactions'])
      this.#run(`DELETE FROM ${table}`);
  }

  #run(sql: string): void {
    this.prepare(sql).all();
  }
}

/** A ledger of the simulation, and its machine. */
export type SimulatedLedger = Readonly<{ledger: SqlLedger; memory: Memory}>;

const opened = new Map<boolean, Promise<SimulatedLedger>>();

/** Opens an empty ledger, in a Durable Object or in a SQLite file. Simulations share both, because a migration takes a long time. */
export async function openSimulatedLedger(isObject: boolean): Promise<SimulatedLedger> {
  const simulated = await cached(opened, isObject, async () => {
    const memory = new Memory();
    return {ledger: new SqlLedger(await (isObject ? objectOn(memory) : fileOn(memory))), memory};
  });
  simulated.memory.clear();
  return simulated;
}

function fileOn(memory: Memory): Promise<Database> {
  return prepareConnection(memory as unknown as Connection.Database, connection => {
    connection.exec('COMMIT');
    return Promise.resolve();
  });
}

async function objectOn(memory: Memory): Promise<Database> {
  const database = databaseIn({
    sql: {
      exec(sql, ...values) {
        const rows = memory.prepare(sql).all(...values);
        return {toArray: () => rows};
      },
    },
    async transaction(work) {
      memory.exec('BEGIN IMMEDIATE');
      try {
        await work();
        memory.exec('COMMIT');
      } catch (error) {
        memory.exec('ROLLBACK');
        throw error;
      }
    },
  });
  await migrate(database);
  return database;
}

/** Returns the ledger for one gate. A dead gate gets no response, and its calls have no effect. */
export function reachedBy(world: World, gate: SimulatedGate): Ledger {
  const {random, conditions} = world;
  let stuckUntil = 0;
  /** Kills the gate if it is to die now, and returns true if it is dead. */
  const isDead = (isDying: boolean) => {
    if (isDying) requests.exit(world.kill.bind(world), gate);
    return !gate.isAlive;
  };
  return through(world.ledger, async (call, name, args) => {
    await sleep(random.chance(0.5) ? 0 : random.integer(1, 20));
    const death = world.faultNow(conditions.deaths, ['dies before', 'dies after']);
    // Sales are rarely withdrawn, so most of these calls have a fault.
    const rate = name === 'withdraw' && conditions.ledgerFaults > 0 ? 0.8 : conditions.ledgerFaults;
    const fault = death === 'none' ? world.faultNow(rate, ['fails before', 'fails after', 'slow', 'slow']) : death;
    // All calls of the gate wait for a slow one. A lease may end meanwhile, because it is not renewed.
    if (fault === 'slow') stuckUntil = Math.max(stuckUntil, Date.now() + random.integer(0, 30_000));
    if (stuckUntil > Date.now()) await sleep(stuckUntil - Date.now());
    if (isDead(fault === 'dies before')) return new Promise(() => undefined);
    if (fault === 'fails before') throw new Error('the ledger does not answer');
    const result = await call().catch((error: unknown) => {
      if (/constraint/i.test(String(error)))
        world.violate(`the ledger refuses ${name} ${brief(args[0])}: ${String(error)}`);
      throw error;
    });
    world.trace(() => `${gate.name} ${name} ${args.map(brief).join(' ')}: ${brief(result)} ${fault}`);
    if (isDead(fault === 'dies after')) return new Promise(() => undefined);
    if (fault === 'fails after') throw new Error('the answer of the ledger is lost');
    return result;
  });
}

/** A stub of a Durable Object. Once a call failed, all fail. It can only be used in the request that got it. */
export function stubOf(ledger: Ledger): Ledger {
  const request = requests.getStore();
  let isBroken = false;
  return through(ledger, async call => {
    if (isBroken) throw new Error('the stub is broken');
    if (request !== requests.getStore()) throw new Error('the stub belongs to another request');
    return call().catch((error: unknown) => {
      isBroken = true;
      throw error;
    });
  });
}

/** Returns a ledger that makes each call through a function. */
export function through(
  ledger: Ledger,
  make: (call: () => Promise<unknown>, name: string, args: readonly unknown[]) => Promise<unknown>,
): Ledger {
  return new Proxy(ledger, {
    get(target, name) {
      const method = Reflect.get(target, name, target) as unknown;
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => make(() => method.apply(target, args) as Promise<unknown>, String(name), args);
    },
  });
}

function brief(value: unknown): string {
  return ((JSON.stringify(value) as string | undefined) ?? 'nothing')
    .replaceAll(/eip155:\d+ 0x\w+ (0x....)\w+ (0x....)\w+/g, '$1 $2')
    .slice(0, 160);
}
