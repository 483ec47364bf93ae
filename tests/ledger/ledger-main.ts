// Opens the ledger at the address in the first argument, and calls the methods that are named in lines of JSON on standard input.

import {createInterface} from 'node:readline';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
// Loaded before the user changes, because that user may not be able to read the project.
import '../../paywall/ledger/postgres.ts';
import '../../paywall/ledger/sqlite.ts';

interface Call {
  readonly id: number;
  readonly method: 'ready' | 'open' | keyof Ledger;
  readonly values: readonly unknown[];
}

const [, , address = '', user] = process.argv;
let ledger: Ledger | undefined;

async function answer({method, values}: Call): Promise<unknown> {
  if (method === 'ready') return undefined;
  if (method === 'open') {
    if (user !== undefined) process.setuid?.(Number(user));
    ledger = await openLedger(process.cwd(), address);
    return undefined;
  }
  const bound = ledger?.[method].bind(ledger) as ((...args: readonly unknown[]) => Promise<unknown>) | undefined;
  return bound?.(...values);
}

createInterface(process.stdin).on('line', line => {
  const call = JSON.parse(line) as Call;
  const print = (result: object) => process.stdout.write(`${JSON.stringify({id: call.id, ...result})}\n`);
  answer(call).then(
    value => print({value}),
    (error: unknown) => print({error: String(error)}),
  );
});
