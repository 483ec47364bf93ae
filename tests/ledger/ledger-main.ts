// Opens the ledger at the address in its first argument and calls its methods as lines of JSON ask for it.

import {createInterface} from 'node:readline';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
// The user that is named may not read the project.
import '../../paywall/ledger/postgres.ts';
import '../../paywall/ledger/sqlite.ts';

interface Asked {
  readonly id: number;
  readonly method: 'ready' | 'open' | keyof Ledger;
  readonly values: readonly unknown[];
}

const [, , address = '', user] = process.argv;
let ledger: Ledger | undefined;

async function answer({method, values}: Asked): Promise<unknown> {
  if (method === 'ready') return undefined;
  if (method === 'open') {
    if (user !== undefined) process.seteuid?.(Number(user));
    ledger = await openLedger(process.cwd(), address);
    return undefined;
  }
  const call = ledger?.[method].bind(ledger) as ((...args: readonly unknown[]) => Promise<unknown>) | undefined;
  return call?.(...values);
}

createInterface(process.stdin).on('line', line => {
  const asked = JSON.parse(line) as Asked;
  const print = (said: object) => process.stdout.write(`${JSON.stringify({id: asked.id, ...said})}\n`);
  answer(asked).then(
    value => print({value}),
    (error: unknown) => print({error: String(error)}),
  );
});
