// A Worker with the Durable Object of the ledger. Its methods are called over HTTP: /<name of the object>/<method>.

import {LedgerObject as Tested} from '../../paywall/ledger/durable-object.ts';
import {databaseIn, openDurableObject, type LedgerBinding} from '../../paywall/ledger/object-ledger.ts';
import {migrate, versions} from '../../paywall/ledger/schema.ts';

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

/** Adds methods that only the tests need. */
export class LedgerObject extends Tested {
  run(sql: string): object[] {
    return this.ctx.storage.sql.exec(sql).toArray();
  }
  upgrade(steps: readonly (readonly string[])[]): Promise<void> {
    return migrate(databaseIn(this.ctx.storage), [...versions, ...steps]);
  }
  restart(): void {
    this.ctx.abort('for a test');
  }
}

export default {
  async fetch(request: Request, {LEDGER}: {LEDGER: LedgerBinding}): Promise<Response> {
    const [, name = '', method = ''] = new URL(request.url).pathname.split('/');
    const id = LEDGER.idFromName(name);
    const ledger = openDurableObject({idFromName: () => id, get: () => LEDGER.get(id)});
    const target = (method in ledger ? ledger : LEDGER.get(id)) as unknown as Methods;
    try {
      return Response.json({value: await target[method]?.(...((await request.json()) as unknown[]))});
    } catch (error) {
      return Response.json({error: String(error)});
    }
  },
};
