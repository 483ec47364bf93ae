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

/** One object holds all sales of a site. */
const NAME = 'sales';

/** The ledger that all isolates of a Worker share. */
export function openDurableObject(binding: LedgerBinding): Ledger {
  // A stub that has failed once fails for good, and belongs to the request that made it.
  const remote = () => binding.get(binding.idFromName(NAME));
  return {
    claim: async (...args) => remote().claim(...args),
    find: async (...args) => remote().find(...args),
    withdraw: async (...args) => remote().withdraw(...args),
    take: async (...args) => remote().take(...args),
    renew: async (...args) => remote().renew(...args),
    move: async (...args) => remote().move(...args),
    confirm: async (...args) => remote().confirm(...args),
    refund: async (...args) => remote().refund(...args),
    list: async (...args) => remote().list(...args),
    bought: async (...args) => remote().bought(...args),
    signIn: async (...args) => remote().signIn(...args),
    keepOn: async (...args) => remote().keepOn(...args),
    keep: async (...args) => remote().keep(...args),
    kept: async (...args) => remote().kept(...args),
    forget: async (...args) => remote().forget(...args),
    reserve: async (...args) => remote().reserve(...args),
    addSigned: async (...args) => remote().addSigned(...args),
    numbers: async (...args) => remote().numbers(...args),
    close: () => Promise.resolve(),
  };
}

/** The ledger in the storage of a Durable Object. The runtime holds every answer back until what was written is on disk. */
export class LedgerObject extends DurableObject implements RemoteLedger {
  readonly #ledger: SqlLedger;

  constructor(ctx: ObjectState, env: unknown) {
    super(ctx, env);
    const database = databaseIn(ctx.storage);
    this.#ledger = new SqlLedger(database);
    // Where this fails, so does every call.
    void ctx.blockConcurrencyWhile(() => migrate(database));
  }

  claim(...args: Parameters<Ledger['claim']>) {
    return this.#ledger.claim(...args);
  }
  find(...args: Parameters<Ledger['find']>) {
    return this.#ledger.find(...args);
  }
  withdraw(...args: Parameters<Ledger['withdraw']>) {
    return this.#ledger.withdraw(...args);
  }
  take(...args: Parameters<Ledger['take']>) {
    return this.#ledger.take(...args);
  }
  renew(...args: Parameters<Ledger['renew']>) {
    return this.#ledger.renew(...args);
  }
  move(...args: Parameters<Ledger['move']>) {
    return this.#ledger.move(...args);
  }
  confirm(...args: Parameters<Ledger['confirm']>) {
    return this.#ledger.confirm(...args);
  }
  refund(...args: Parameters<Ledger['refund']>) {
    return this.#ledger.refund(...args);
  }
  list(...args: Parameters<Ledger['list']>) {
    return this.#ledger.list(...args);
  }
  bought(...args: Parameters<Ledger['bought']>) {
    return this.#ledger.bought(...args);
  }
  signIn(...args: Parameters<Ledger['signIn']>) {
    return this.#ledger.signIn(...args);
  }
  keepOn(...args: Parameters<Ledger['keepOn']>) {
    return this.#ledger.keepOn(...args);
  }
  keep(...args: Parameters<Ledger['keep']>) {
    return this.#ledger.keep(...args);
  }
  kept(...args: Parameters<Ledger['kept']>) {
    return this.#ledger.kept(...args);
  }
  forget(...args: Parameters<Ledger['forget']>) {
    return this.#ledger.forget(...args);
  }
  reserve(...args: Parameters<Ledger['reserve']>) {
    return this.#ledger.reserve(...args);
  }
  addSigned(...args: Parameters<Ledger['addSigned']>) {
    return this.#ledger.addSigned(...args);
  }
  numbers(...args: Parameters<Ledger['numbers']>) {
    return this.#ledger.numbers(...args);
  }
}

/** The storage of a Durable Object. */
export function databaseIn(storage: ObjectStorage): Database {
  const query: Database['query'] = (sql, values = []) =>
    new Promise(resolve => {
      resolve(storage.sql.exec(sql, ...values).toArray());
    });
  return {
    query,
    now: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
    alone: work => storage.transaction(() => work(query)),
    close: () => Promise.resolve(),
  };
}
