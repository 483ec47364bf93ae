import {randomBytes} from 'node:crypto';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import * as esbuild from 'esbuild';
import Connection from 'libsql';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {databaseAt} from '../../paywall/ledger/postgres.ts';
import type {Database, Row} from '../../paywall/ledger/database.ts';
import {migrate, versions} from '../../paywall/ledger/schema.ts';
import {databaseOn} from '../../paywall/ledger/sqlite.ts';
import {startPostgres} from './postgres-server.ts';
import {remoteLedger} from './remote-ledger.ts';

/** A kind of database in which the tests create ledgers. `await using` removes it. */
export interface Backend extends AsyncDisposable {
  /** Creates an empty store for a ledger. */
  createStore(name?: string): Promise<Store>;
}

/** The database of one ledger. */
export interface Store {
  /** The address for other processes. Undefined for a Durable Object. */
  readonly address?: string;
  /** Opens the ledger as a gate does. Disposing of the backend closes it. */
  open(): Promise<Ledger>;
  /** Runs a statement directly on the database. */
  run(sql: string): Promise<readonly Row[]>;
  /** Migrates the ledger with additional steps, as a later version of the program would. */
  upgrade(steps: readonly (readonly string[])[]): Promise<void>;
}

/** Functions that open a backend, by its name. */
export type Backends = Readonly<Record<string, () => Promise<Backend>>>;

/** The backends that need no server. */
export const embeddedBackends: Backends = {'a SQLite file': sqliteBackend};

export const serverBackends: Backends = {Postgres: postgresBackend, 'a Durable Object': () => durableObjectBackend()};

export async function sqliteBackend(): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  return sqlBackend(
    () => Promise.resolve(join(folder, `${randomBytes(6).toString('hex')}.db`)),
    file => databaseOn(new Connection(file)),
    () => rm(folder, {recursive: true}),
  );
}

export async function postgresBackend(): Promise<Backend> {
  const server = await startPostgres();
  return sqlBackend(
    () => server.makeDatabase(),
    url => databaseAt(url),
    async () => server[Symbol.asyncDispose](),
  );
}

function sqlBackend(
  makeAddress: () => Promise<string>,
  connect: (address: string) => Database,
  remove: () => Promise<void>,
): Backend {
  const open: {close(): Promise<void>}[] = [];
  const closeLater = <Closable extends {close(): Promise<void>}>(closable: Closable) => {
    open.push(closable);
    return closable;
  };
  return {
    async createStore() {
      const address = await makeAddress();
      return {
        address,
        open: async () => closeLater(await openLedger('/', address)),
        async run(sql) {
          let rows: readonly Row[] = [];
          // A transaction, because statements in it have no timeout.
          await closeLater(connect(address)).transaction(async query => {
            rows = await query(sql);
          });
          return rows;
        },
        upgrade: steps => migrate(closeLater(connect(address)), [...versions, ...steps]),
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(open.map(one => one.close()));
      await remove();
    },
  };
}

/**
 * Runs the Durable Object in workerd, with nothing in front of it. The proxy of wrangler answers some requests with text while a Worker
 * starts again.
 *
 * @param persisted the folder for its storage, which is not removed; by default the storage is temporary
 */
export async function durableObjectBackend(persisted?: string): Promise<Backend> {
  const worker = await esbuild.build({
    entryPoints: [join(import.meta.dirname, 'worker.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    logLevel: 'warning',
  });
  // Imported here because fast tests, which run without the packages of tests/extra, use this file too.
  const {Miniflare} = await import('../extra/miniflare.js');
  const miniflare = new Miniflare({
    modules: [{type: 'ESModule', path: 'worker.js', contents: worker.outputFiles[0]?.text ?? ''}],
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['nodejs_compat'],
    durableObjects: {LEDGER: {className: 'LedgerObject', useSQLite: true}},
    ...(persisted !== undefined && {durableObjectsPersist: persisted}),
    unsafeDirectSockets: [{host: '127.0.0.1', port: 0}],
    handleRuntimeStdio(out, err) {
      for (const stream of [out, err]) stream.resume();
    },
  });
  const {origin} = await miniflare.unsafeGetDirectURL();
  return {
    createStore(name = randomBytes(6).toString('hex')) {
      const call = async (method: string, args: readonly unknown[]) => {
        const answer = await fetch(`${origin}/${name}/${method}`, {method: 'POST', body: JSON.stringify(args)});
        const {value, error} = (await answer.json()) as {value?: unknown; error?: string};
        if (error !== undefined) throw new Error(error);
        return value;
      };
      return Promise.resolve({
        async open() {
          // The object may be running. A restart makes it open the ledger again.
          await call('restart', []).catch(() => undefined);
          await call('list', [{limit: 0}]);
          return remoteLedger(call);
        },
        run: async (sql: string) => (await call('run', [sql])) as Row[],
        upgrade: async (steps: readonly (readonly string[])[]) => void (await call('upgrade', [steps])),
      });
    },
    async [Symbol.asyncDispose]() {
      await miniflare.dispose();
    },
  };
}
