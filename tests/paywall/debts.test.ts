import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {newSale} from '../ledger/new-sale.ts';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const path = '/api/v1/softfail3';
const PATIENCE_MS = 4_000;
/** The books let a sale go after so long, and a hand renews it before. */
const HELD_MS = 3_000;

interface Json {
  readonly payload: {readonly authorization: {readonly nonce: string; readonly validBefore: string}};
  readonly accepted: {readonly network: string};
}

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
    await facilitator.stop();
    await gate.stop();
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
    assert.deepEqual(new Set(answers.map(({status}) => status)), new Set([200, 409]));
  });

  test('few of those who wait for one payer’s sale ask the books again and again', async () => {
    let looks = 0;
    await open({
      find(...asked) {
        looks += 1;
        return books.find(...asked);
      },
    });
    facilitator.settle = 2_000;
    const payments = await Promise.all(Array.from({length: 101}, () => signed()));
    const first = pay(payments.pop() ?? '');
    while (facilitator.submitted.length === 0) await sleep(10);
    const others = payments.map(payment => pay(payment));
    await sleep(1_000);
    assert.ok(looks < 300, `${looks} looks`);
    facilitator.settle = 'good';
    assert.equal((await first).status, 200);
    const statuses = (await Promise.all(others)).map(({status}) => status);
    assert.ok(statuses.filter(status => status === 409).length >= 88);
  });

  test('a buyer who has waited for a sale does not wait as long again for its settlement', async () => {
    await open();
    const asked = await signed();
    const {payload, accepted} = JSON.parse(Buffer.from(asked, 'base64').toString()) as Json;
    const [of, requirements] = [payload.authorization, accepted];
    const payer = buyer.address.toLowerCase();
    await books.claim(
      newSale({
        network: accepted.network,
        payer,
        path,
        nonce: of.nonce,
        validBefore: Number(of.validBefore),
        payload: JSON.stringify({payload, requirements}),
      }),
      'a process that has died',
    );
    facilitator.settle = 'hang';
    const start = performance.now();
    assert.equal((await pay(await signed())).status, 503);
    assert.ok(performance.now() - start < PATIENCE_MS + 1_000, 'it takes too long');
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
