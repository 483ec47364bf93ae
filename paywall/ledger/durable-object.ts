import {DurableObject, type ObjectState, type ObjectStorage} from 'cloudflare:workers';
import type {Ledger} from './ledger.ts';
import type {Database} from './database.ts';
import {migrate} from './schema.ts';
import {SqlLedger} from './sql-ledger.ts';

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
const METHODS = Object.getOwnPropertyNames(SqlLedger.prototype).filter(
  name => name !== 'constructor' && name !== 'close',
) as Method[];

type Method = keyof RemoteLedger;
type Methods = Readonly<Record<Method, (...args: unknown[]) => Promise<unknown>>>;

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

/** The ledger in the storage of a Durable Object. The runtime sends a response only after the writes before it are on disk. */
export class LedgerObject extends DurableObject {
  readonly ledger: SqlLedger;

  constructor(ctx: ObjectState, env: unknown) {
    super(ctx, env);
    const database = databaseIn(ctx.storage);
    this.ledger = new SqlLedger(database);
    // If the migration fails, every call fails.
    void ctx.blockConcurrencyWhile(() => migrate(database));
  }
}

// Other isolates can call only methods of the prototype.
for (const name of METHODS)
  Object.defineProperty(LedgerObject.prototype, name, {
    value(this: LedgerObject, ...args: unknown[]) {
      return (this.ledger as unknown as Methods)[name](...args);
    },
  });

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
