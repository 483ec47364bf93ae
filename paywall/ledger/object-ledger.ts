import type {ObjectStorage} from 'cloudflare:workers';
import type {Database} from './database.ts';
import type {Ledger} from './ledger.ts';
import {SqlDocuments} from './sql-documents.ts';
import {SqlLedger} from './sql-ledger.ts';
import {SqlTransactions} from './sql-transactions.ts';

/** The methods of a ledger that are called from another isolate. */
type RemoteLedger = Omit<Ledger, 'close'>;

/** The binding `LEDGER` of `rules/wrangler.jsonc`. */
export interface LedgerBinding {
  idFromName(name: string): unknown;
  get(id: unknown): RemoteLedger;
}

/** The name of the one object that stores all sales of a site. */
const NAME = 'sales';

/** The methods that other isolates may call. */
export const METHODS = [SqlLedger, SqlDocuments, SqlTransactions]
  .flatMap(({prototype}) => Object.getOwnPropertyNames(prototype))
  .filter(name => name !== 'constructor' && name !== 'close') as Method[];

type Method = keyof RemoteLedger;
export type Methods = Readonly<Record<Method, (...args: unknown[]) => Promise<unknown>>>;

/** The ledger that all isolates of a Worker share. */
export function openDurableObject(binding: LedgerBinding): Ledger {
  const call = (name: Method, args: unknown[]) => {
    // A stub that failed once keeps failing, and it belongs to the request that created it, so each call gets its own stub.
    const stub = binding.get(binding.idFromName(NAME)) as unknown as Methods;
    return stub[name](...args);
  };
  const entries = METHODS.map(name => [name, async (...args: unknown[]) => call(name, args)] as const);
  return {...(Object.fromEntries(entries) as unknown as RemoteLedger), close: () => Promise.resolve()};
}

/** The database in the storage of a Durable Object. */
export function databaseIn(storage: ObjectStorage): Database {
  const query: Database['query'] = (sql, values = []) =>
    new Promise(resolve => {
      resolve(storage.sql.exec(sql, ...values).toArray());
    });
  return {
    query,
    now: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
    transaction: work => storage.transaction(() => work(query)),
    close: () => Promise.resolve(),
  };
}
