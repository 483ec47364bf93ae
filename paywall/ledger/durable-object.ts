import {DurableObject, type ObjectState} from 'cloudflare:workers';
import {databaseIn, METHODS, type Methods} from './object-ledger.ts';
import {migrate} from './schema.ts';
import {SqlLedger} from './sql-ledger.ts';

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
