import assert from 'node:assert/strict';
import {EventEmitter, once} from 'node:events';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {Hono} from 'hono';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {newSale} from '../ledger/new-sale.ts';
import {baseUrl, fixtureSite, type FixtureOptions, type FixtureSite} from './fixture-site.ts';
import {encoded, forge} from './forge.ts';
import {decoded} from './hand-made.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const path = '/api/v1/softfail3';
const PATIENCE_MS = 4_000;
/** The books let a sale go after so long, and a hand renews it before. */
const HELD_MS = 3_000;

const [BEFORE, NOW] = ['2026-04-01T00:00:00.000Z', '2026-05-01T00:00:00.000Z'];

interface Json {
  readonly payload: {readonly authorization: {readonly nonce: string; readonly validBefore: string}};
  readonly accepted: {readonly network: string};
}

describe('debts', {concurrency: false}, () => {
  let site: FixtureSite;
  let passes: FixtureSite;
  let facilitator: StandIn;
  let books: Ledger;
  let gate: Listening;
  let buyer: PrivateKeyAccount;

  before(async () => {
    site = await fixtureSite();
    passes = await fixtureSite({alter: sellPass});
  });
  beforeEach(async () => {
    facilitator = await startStandIn();
    books = await openSqlite(':memory:', HELD_MS);
    buyer = privateKeyToAccount(generatePrivateKey());
  });
  afterEach(async () => {
    await facilitator.stop();
    await gate.stop();
    await books.close();
  });
  after(() => Promise.all([site.remove(), passes.remove()]));

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

  test('of copies of a payment that come at once, the facilitator is shown one', async () => {
    await open();
    const payment = await signed();
    facilitator.verify = 1_000;
    const answers = await Promise.all(Array.from({length: 20}, () => pay(payment)));
    assert.equal(answers.filter(({status}) => status === 200).length, 1);
    assert.equal(answers.filter(({status}) => status === 409).length, 19);
    assert.equal(facilitator.asked, 2);
  });

  for (const state of ['settled', 'delivered'])
    test(`a document is handed out once, though that it is ${state} cannot be written down at first`, async () => {
      let isFirst = true;
      const recorded = new EventEmitter();
      const isRecorded = once(recorded, 'delivered');
      await open({
        async move(...asked) {
          if (asked[2].to === state && isFirst) {
            isFirst = false;
            throw new Error('the connection is lost');
          }
          const isMoved = await books.move(...asked);
          recorded.emit(asked[2].to);
          return isMoved;
        },
      });
      assert.equal((await pay(await signed())).status, 200);
      await isRecorded;
      facilitator.settle = {refuse: 'insufficient_funds'};
      assert.equal((await pay(await signed())).status, 402);
    });

  test('a request that waited while its payer received the document charges nothing', async () => {
    await open();
    facilitator.settle = 1_000;
    const first = pay(await signed());
    while (facilitator.submitted.length === 0) await sleep(10);
    // As if a client had given up, and had sent another payment to another gate.
    const abandoned = pay(await signed());
    assert.equal((await first).status, 200);
    assert.equal((await abandoned).status, 409);
    assert.equal(facilitator.submitted.length, 1);
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

  test('a payment is not over for a node that has not come so far: its payer is not charged again', async () => {
    const node = await startNode(() => Math.floor(Date.now() / 1000) - 30);
    await open({}, node.url);
    facilitator.settle = {refuse: 'settlement_timed_out'};
    const short = await signed(2);
    assert.equal((await pay(short)).status, 503);
    await sleep(2_500);
    await pay(await signed());
    assert.equal(new Set(facilitator.submitted).size, 1);
    await node.stop();
  });

  test('without a node, nobody waits for a transaction that a facilitator only names', async () => {
    await open();
    facilitator.settle = {refuse: 'settlement_pending', sent: `0x${'cd'.repeat(32)}`};
    const start = performance.now();
    assert.equal((await pay(await signed())).status, 503);
    assert.ok(performance.now() - start < 1_000, 'it takes too long');
  });

  test('a comparison of the books with a slow node does not keep the gate from ending', async () => {
    const node = await startNode(() => Math.floor(Date.now() / 1000), 100);
    for (let sales = 0; sales < 100; sales++) assert.ok(await books.start(newSale(), ''));
    await sleep(HELD_MS);
    await open({}, node.url);
    await sleep(500);
    const start = performance.now();
    await gate.stop();
    assert.ok(performance.now() - start < 2_000, 'it takes too long');
    await node.stop();
  });

  test('a buyer who has waited for a sale does not wait as long again for its settlement', async () => {
    await open();
    const asked = await signed();
    const {payload, accepted} = JSON.parse(Buffer.from(asked, 'base64').toString()) as Json;
    const [of, requirements] = [payload.authorization, accepted];
    const payer = buyer.address.toLowerCase();
    await books.start(
      newSale({
        network: accepted.network,
        payer,
        url: baseUrl + path,
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

  for (const [what, wait] of [
    ['when its payer asks', () => Promise.resolve()],
    ['when the books are compared', () => sleep(2_000)],
  ] as const)
    test(`a document whose money was paid back is owed no more, ${what}`, async () => {
      await open();
      const {network} = (JSON.parse(Buffer.from(await signed(), 'base64').toString()) as Json).accepted;
      const sale = newSale({network, payer: buyer.address.toLowerCase(), url: baseUrl + path});
      await books.start(sale, 'me');
      await books.move(sale.key, 'me', {to: 'settled', transaction: '0x1'});
      assert.equal(await books.refund(sale.key, '0x2'), true);
      await wait();
      const before = await books.find(sale.key, sale);
      assert.equal(before.same?.state, what === 'when its payer asks' ? 'settled' : 'expired');
      assert.equal((await pay(await signed())).status, 200);
      assert.equal(facilitator.submitted.length, 1);
      assert.equal((await books.find(sale.key, sale)).same?.state, 'expired');
    });

  test('a pass that is paid for while another payment of its buyer is verified is not charged again', async () => {
    await open({}, undefined, passes);
    facilitator.verify = 500;
    const late = pay(await signed());
    while (facilitator.asked === 0) await sleep(10);
    facilitator.verify = 'good';
    assert.equal((await pay(await signed())).status, 200);
    assert.equal((await late).status, 409);
    assert.equal((await pay(await signed())).status, 200);
    assert.equal(facilitator.submitted.length, 1);
  });

  for (const [what, asOf, laterSnapshots, charged] of [
    ['a pass that was not collected in time is collected', NOW, 1, 0],
    ['a pass includes its last snapshot', BEFORE, 1, 0],
    ['a pass that has ended is sold again', '2026-03-01T00:00:00.000Z', 1, 1],
    ['a sale made before the product became a pass includes nothing else', BEFORE, 0, 1],
    ['a pass includes as many snapshots as were sold, though fewer are sold now', '2026-03-01T00:00:00.000Z', 8, 0],
    ['a pass includes a former snapshot that is sold again', '2026-06-01T00:00:00.000Z', 1, 0],
  ] as const)
    test(what, async () => {
      await open({}, undefined, passes);
      const {network} = (JSON.parse(Buffer.from(await signed(), 'base64').toString()) as Json).accepted;
      const sale = newSale({
        network,
        payer: buyer.address.toLowerCase(),
        url: baseUrl + path,
        asOf,
        ...{laterSnapshots, members: ['a']},
      });
      await books.start(sale, 'me');
      await books.move(sale.key, 'me', {to: 'settled', transaction: '0x1'}, true);
      await books.move(sale.key, 'me', {to: 'expired'});
      assert.equal((await pay(await signed())).status, 200);
      assert.equal(facilitator.submitted.length, charged);
      const state = async () => (await books.find(sale.key, sale)).same?.state;
      if (charged === 0) while ((await state()) !== 'delivered') await sleep(10);
      else assert.equal(await state(), 'expired');
    });

  async function open(changes: Partial<Ledger> = {}, rpcUrl?: string, {root} = site): Promise<void> {
    const ledger = new Proxy(books, {
      get: (target, name: keyof Ledger) => changes[name] ?? target[name].bind(target as never),
    });
    gate = await startGate(root, facilitator.url, {
      timeoutMs: PATIENCE_MS,
      ledger,
      rpcUrl,
      reconciling: {everyMs: 200, lagMs: 1_000},
    });
  }

  /** @param seconds for which it is valid, as long as it may be by default */
  async function signed(seconds?: number): Promise<string> {
    const challenge = decoded(await fetch(gate.url + path), 'PAYMENT-REQUIRED');
    const validBefore = String(
      Math.floor(Date.now() / 1000) + (seconds ?? challenge.accepts[0]?.maxTimeoutSeconds ?? 0),
    );
    return encoded(await forge(challenge, buyer, {authorization: {validBefore}}));
  }

  function pay(payment: string): Promise<Response> {
    return fetch(gate.url + path, {headers: {'PAYMENT-SIGNATURE': payment}});
  }
});

/** Makes the first product a pass for the next snapshot. */
function sellPass({rules, catalogue}: Parameters<NonNullable<FixtureOptions['alter']>>[0]): void {
  const [rule, product] = [rules.rules[0], catalogue.products[0]];
  if (rule) Object.assign(rule, {pass: {next: 1}, snapshots: {a: [BEFORE, NOW]}});
  if (product) Object.assign(product, {pass: {next: 1}});
}

/** A node of a chain whose last block has this time, in seconds since 1970, and in which no authorization was used. */
function startNode(time: () => number, delayMs = 0): Promise<Listening> {
  const results: Record<string, () => unknown> = {
    eth_chainId: () => '0x14a34',
    eth_getBlockByNumber: () => ({number: '0x10', timestamp: `0x${time().toString(16)}`, transactions: []}),
    eth_call: () => `0x${'00'.repeat(32)}`,
  };
  return listen(
    new Hono().post('/', async c => {
      const {id, method} = await c.req.json<{id: number; method: string}>();
      await sleep(delayMs);
      return c.json({jsonrpc: '2.0', id, result: results[method]?.()});
    }),
  );
}
