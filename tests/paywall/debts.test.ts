import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const path = '/api/v1/softfail3';
const PATIENCE_MS = 4_000;
/** The books let a sale go after so long, and a hand renews it before. */
const HELD_MS = 3_000;

describe('debts', {concurrency: false}, () => {
  let site: FixtureSite;
  let facilitator: StandIn;
  let books: Ledger;
  let gate: Listening;
  let buyer: PrivateKeyAccount;

  before(async () => {
    site = await fixtureSite();
  });
  beforeEach(async () => {
    facilitator = await startStandIn();
    books = await openSqlite(':memory:', {heldMs: HELD_MS});
    buyer = privateKeyToAccount(generatePrivateKey());
  });
  afterEach(async () => {
    await gate.stop();
    await facilitator.stop();
    await books.close();
  });
  after(() => site.remove());

  test('a sale that cannot be taken further is let go, and collected', async () => {
    let fails = false;
    await open({
      move: (...asked) => (fails ? Promise.reject(new Error('the disk is full')) : books.move(...asked)),
    });
    facilitator.settle = 'drop';
    assert.equal((await pay(await signed())).status, 503);
    fails = true;
    assert.equal((await pay(await signed())).status, 503);
    fails = false;
    facilitator.settle = 'good';
    assert.equal((await pay(await signed())).status, 200);
  });

  test('copies of a payment that are answered at the same moment do not take its document away', async () => {
    let begun = 0;
    let release: (() => void) | undefined;
    const settled = new Promise<void>(resolve => (release = resolve));
    await open({
      // The first to come is settled at the moment at which the second learns that it has lost.
      async claim(...asked) {
        if (begun++ === 0) return books.claim(...asked);
        await settled;
        return false;
      },
      async move(...asked) {
        const isMoved = await books.move(...asked);
        if (asked[2].to === 'settled') release?.();
        return isMoved;
      },
    });
    facilitator.settle = 300;
    const payment = await signed();
    const answers = await Promise.all([pay(payment), pay(payment)]);
    assert.deepEqual(answers.map(({status}) => status).sort(), [200, 409]);
  });

  async function open(changes: Partial<Ledger> = {}): Promise<void> {
    const ledger = new Proxy(books, {
      get: (target, name: keyof Ledger) => changes[name] ?? target[name].bind(target as never),
    });
    gate = await startGate(site.root, facilitator.url, {patienceMs: PATIENCE_MS, ledger});
  }

  async function signed(): Promise<string> {
    return paymentFor(decoded(await fetch(gate.url + path), 'PAYMENT-REQUIRED'), buyer);
  }

  function pay(payment: string): Promise<Response> {
    return fetch(gate.url + path, {headers: {'PAYMENT-SIGNATURE': payment}});
  }
});
