import {randomBytes} from 'node:crypto';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import Connection from 'libsql';
import {unstable_startWorker} from 'wrangler';
import cloudflare from '../../build/hosts/cloudflare.ts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {databaseAt} from '../../paywall/ledger/postgres.ts';
import type {Database, Row} from '../../paywall/ledger/database.ts';
import {migrate, versions} from '../../paywall/ledger/schema.ts';
import {databaseOn} from '../../paywall/ledger/sqlite.ts';
import {startPostgres} from './postgres-server.ts';
import {remoteLedger} from './remote-ledger.ts';

/** A place where ledgers can be kept; `await using` removes it. */
export interface Home extends AsyncDisposable {
  /** Makes room for a ledger. */
  makePlace(name?: string): Promise<Place>;
}

/** The place of one ledger. */
export interface Place {
  /** For other processes; a Durable Object has none. */
  readonly address?: string;
  /** Opens it as the gate does; the ledger is closed with its home. */
  open(): Promise<Ledger>;
  /** Runs a statement behind the ledger's back. */
  run(sql: string): Promise<readonly Row[]>;
  /** Brings it to the version of a later program. */
  upgrade(steps: readonly (readonly string[])[]): Promise<void>;
}

/** How to make homes, by name. */
export type Homes = Readonly<Record<string, () => Promise<Home>>>;

/** The home that needs no server. */
export const ownHomes: Homes = {'a SQLite file': sqliteHome};

export const servedHomes: Homes = {Postgres: postgresHome, 'a Durable Object': () => durableObjectHome()};

export async function sqliteHome(): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  return sqlHome(
    () => Promise.resolve(join(folder, `${randomBytes(6).toString('hex')}.db`)),
    file => databaseOn(new Connection(file)),
    () => rm(folder, {recursive: true}),
  );
}

export async function postgresHome(): Promise<Home> {
  const server = await startPostgres();
  return sqlHome(
    () => server.makeDatabase(),
    url => databaseAt(url),
    async () => server[Symbol.asyncDispose](),
  );
}

function sqlHome(
  makeAddress: () => Promise<string>,
  connect: (address: string) => Database,
  remove: () => Promise<void>,
): Home {
  const open: {close(): Promise<void>}[] = [];
  const kept = <Closable extends {close(): Promise<void>}>(closable: Closable) => {
    open.push(closable);
    return closable;
  };
  return {
    async makePlace() {
      const address = await makeAddress();
      return {
        address,
        open: async () => kept(await openLedger('/', address)),
        async run(sql) {
          let rows: readonly Row[] = [];
          // Which may take long.
          await kept(connect(address)).transaction(async query => {
            rows = await query(sql);
          });
          return rows;
        },
        upgrade: steps => migrate(kept(connect(address)), [...versions, ...steps]),
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(open.map(one => one.close()));
      await remove();
    },
  };
}

/** @param persisted the folder of its storage, which stays; by default that is removed */
export async function durableObjectHome(persisted?: string): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  // As the generator writes it, without the site.
  const site = {title: 'Ledger'} as Parameters<typeof cloudflare.compose>[0]['site'];
  const text = cloudflare.compose({site, rules: [], pages: []}).files.get('paywall/rules/wrangler.jsonc') ?? '';
  const config = {...(JSON.parse(text) as object), assets: undefined};
  await writeFile(join(folder, 'wrangler.json'), JSON.stringify(config));
  const worker = await unstable_startWorker({
    config: join(folder, 'wrangler.json'),
    entrypoint: join(import.meta.dirname, 'worker.ts'),
    dev: {
      server: {port: 0, hostname: '127.0.0.1'},
      inspector: false,
      logLevel: 'none',
      watch: false,
      persist: persisted ?? false,
    },
  });
  await worker.ready;
  const {origin} = await worker.url;
  return {
    makePlace(name = randomBytes(6).toString('hex')) {
      const call = async (method: string, args: readonly unknown[]) => {
        const answer = await fetch(`${origin}/${name}/${method}`, {method: 'POST', body: JSON.stringify(args)});
        const {value, error} = (await answer.json()) as {value?: unknown; error?: string};
        if (error !== undefined) throw new Error(error);
        return value;
      };
      return Promise.resolve({
        async open() {
          // It may run already, with what it once found.
          await call('restart', []).catch(() => undefined);
          await call('list', [{limit: 0}]);
          return remoteLedger(call);
        },
        run: async (sql: string) => (await call('run', [sql])) as Row[],
        upgrade: async (steps: readonly (readonly string[])[]) => void (await call('upgrade', [steps])),
      });
    },
    async [Symbol.asyncDispose]() {
      await worker.dispose();
      await rm(folder, {recursive: true});
    },
  };
}
