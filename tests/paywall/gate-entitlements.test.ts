import assert from 'node:assert/strict';
import {EventEmitter, once} from 'node:events';
import {after, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {Hono} from 'hono';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {newSale} from '../ledger/new-sale.ts';
import {baseUrl, fixtureSite, type FixtureOptions} from './fixture-site.ts';
import {encoded, forge} from './forge.ts';
import {decoded} from './hand-made.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const path = '/api/v1/softfail3';
const PATIENCE_MS = 4_000;
/** The length of a lease in the ledger. The gate renews it earlier. */
const HELD_MS = 3_000;

const [BEFORE, NOW] = ['2026-04-01T00:00:00.000Z', '2026-05-01T00:00:00.000Z'];

interface Json {
  readonly payload: {readonly authorization: {readonly nonce: string; readonly validBefore: string}};
  readonly accepted: {readonly network: string};
}

/** The sites of all tests. No test changes them. */
const sites = {products: await fixtureSite(), passes: await fixtureSite({alter: sellPass})};
after(() => Promise.all([sites.products.remove(), sites.passes.remove()]));

describe('entitlements', {concurrency: 4}, () => {
  test('a sale with an outcome that cannot be recorded is released, and its document can be collected', async () => {
    await using shop = await Shop.start();
    let fails = false;
    await shop.open({
      move: (...asked) => (fails ? Promise.reject(new Error('the disk is full')) : shop.ledger.move(...asked)),
    });
    shop.facilitator.settle = 'drop';
    assert.equal((await shop.pay(await shop.signed())).status, 503);
    fails = true;
    assert.equal((await shop.pay(await shop.signed())).status, 503);
    fails = false;
    shop.facilitator.settle = 'good';
    assert.equal((await shop.pay(await shop.signed())).status, 200);
  });

  for (const state of ['settled', 'delivered'])
    test(`a document is handed out once, though that it is ${state} cannot be written down at first`, async () => {
      await using shop = await Shop.start();
      let isFirst = true;
      const recorded = new EventEmitter();
      const isRecorded = once(recorded, 'delivered');
      await shop.open({
        async move(...asked) {
          if (asked[2].to === state && isFirst) {
            isFirst = false;
            throw new Error('the connection is lost');
          }
          const isMoved = await shop.ledger.move(...asked);
          recorded.emit(asked[2].to);
          return isMoved;
        },
      });
      assert.equal((await shop.pay(await shop.signed())).status, 200);
      await isRecorded;
      shop.facilitator.settle = {refuse: 'insufficient_funds'};
      assert.equal((await shop.pay(await shop.signed())).status, 402);
    });

  test('a request that waited while its payer received the document charges nothing', async () => {
    await using shop = await Shop.start();
    await shop.open();
    shop.facilitator.settle = 1_000;
    const first = shop.pay(await shop.signed());
    while (shop.facilitator.submitted.length === 0) await sleep(10);
    // This is like a client that gave up and sent another payment to another gate.
    const abandoned = shop.pay(await shop.signed());
    assert.equal((await first).status, 200);
    assert.equal((await abandoned).status, 409);
    assert.equal(shop.facilitator.submitted.length, 1);
  });

  test('a payment is not over for a node that has not come so far: its payer is not charged again', async () => {
    await using shop = await Shop.start();
    const node = await startNode(() => Math.floor(Date.now() / 1000) - 30);
    await shop.open({}, node.url);
    shop.facilitator.settle = {refuse: 'settlement_timed_out'};
    const short = await shop.signed(8);
    assert.equal((await shop.pay(short)).status, 503);
    await sleep(8_500);
    await shop.pay(await shop.signed());
    assert.equal(new Set(shop.facilitator.submitted).size, 1);
    await node.stop();
  });

  for (const [what, wait] of [
    ['when its payer asks', () => Promise.resolve()],
    ['when the ledger is reconciled', () => sleep(2_000)],
  ] as const)
    test(`the entitlement of a refunded sale ends ${what}`, async () => {
      await using shop = await Shop.start();
      await shop.open();
      const {network} = (JSON.parse(Buffer.from(await shop.signed(), 'base64').toString()) as Json).accepted;
      const sale = newSale({network, payer: shop.buyer.address.toLowerCase(), url: baseUrl + path});
      await shop.ledger.start(sale, 'me');
      await shop.ledger.move(sale.key, 'me', {to: 'settled', transaction: '0x1'});
      assert.equal(await shop.ledger.refund(sale.key, '0x2'), true);
      await wait();
      const before = await shop.ledger.find(sale.key, sale);
      assert.equal(before.same?.state, what === 'when its payer asks' ? 'settled' : 'expired');
      assert.equal((await shop.pay(await shop.signed())).status, 200);
      assert.equal(shop.facilitator.submitted.length, 1);
      assert.equal((await shop.ledger.find(sale.key, sale)).same?.state, 'expired');
    });

  test('a buyer of a pass is not charged again if another of its payments was being verified meanwhile', async () => {
    await using shop = await Shop.start();
    await shop.open({}, undefined, sites.passes);
    shop.facilitator.verify = 500;
    const late = shop.pay(await shop.signed());
    while (shop.facilitator.asked === 0) await sleep(10);
    shop.facilitator.verify = 'good';
    assert.equal((await shop.pay(await shop.signed())).status, 200);
    assert.equal((await late).status, 409);
    assert.equal((await shop.pay(await shop.signed())).status, 200);
    assert.equal(shop.facilitator.submitted.length, 1);
  });

  for (const [what, asOf, laterSnapshots, charged] of [
    ['a pass that was not collected in time is collected', NOW, 1, 0],
    ['a pass includes its last snapshot', BEFORE, 1, 0],
    ['a pass that has ended is sold again', '2026-03-01T00:00:00.000Z', 1, 1],
    ['a sale made before the product became a pass includes nothing else', BEFORE, 0, 1],
    ['a pass includes as many snapshots as were sold, though fewer are sold now', '2026-03-01T00:00:00.000Z', 8, 0],
    ['a pass includes an earlier snapshot that is sold again', '2026-06-01T00:00:00.000Z', 1, 0],
  ] as const)
    test(what, async () => {
      await using shop = await Shop.start();
      await shop.open({}, undefined, sites.passes);
      const {network} = (JSON.parse(Buffer.from(await shop.signed(), 'base64').toString()) as Json).accepted;
      const sale = newSale({
        network,
        payer: shop.buyer.address.toLowerCase(),
        url: baseUrl + path,
        asOf,
        ...{laterSnapshots, members: ['a']},
      });
      await shop.ledger.start(sale, 'me');
      await shop.ledger.move(sale.key, 'me', {to: 'settled', transaction: '0x1'}, true);
      await shop.ledger.move(sale.key, 'me', {to: 'expired'});
      assert.equal((await shop.pay(await shop.signed())).status, 200);
      assert.equal(shop.facilitator.submitted.length, charged);
      const state = async () => (await shop.ledger.find(sale.key, sale)).same?.state;
      if (charged === 0) while ((await state()) !== 'delivered') await sleep(10);
      else assert.equal(await state(), 'expired');
    });
});

// These tests measure time, so no others run at the same time.
describe('entitlements within time limits', {concurrency: false}, () => {
  test('of copies of a payment that come at once, the facilitator is shown one', async () => {
    await using shop = await Shop.start();
    await shop.open();
    const payment = await shop.signed();
    shop.facilitator.verify = 1_000;
    const answers = await Promise.all(Array.from({length: 20}, () => shop.pay(payment)));
    assert.equal(answers.filter(({status}) => status === 200).length, 1);
    assert.equal(answers.filter(({status}) => status === 409).length, 19);
    assert.equal(shop.facilitator.asked, 2);
  });

  test('few of the requests that wait for one payer’s sale read the ledger repeatedly', async () => {
    await using shop = await Shop.start();
    let reads = 0;
    await shop.open({
      find(...asked) {
        reads += 1;
        return shop.ledger.find(...asked);
      },
    });
    shop.facilitator.settle = 2_000;
    const payments = await Promise.all(Array.from({length: 101}, () => shop.signed()));
    const first = shop.pay(payments.pop() ?? '');
    while (shop.facilitator.submitted.length === 0) await sleep(10);
    const others = payments.map(payment => shop.pay(payment));
    await sleep(1_000);
    assert.ok(reads < 300, `${reads} reads`);
    shop.facilitator.settle = 'good';
    assert.equal((await first).status, 200);
    const statuses = (await Promise.all(others)).map(({status}) => status);
    assert.ok(statuses.filter(status => status === 409).length >= 88);
  });

  test('without a node, no request waits for a transaction that a facilitator only names', async () => {
    await using shop = await Shop.start();
    await shop.open();
    shop.facilitator.settle = {refuse: 'settlement_pending', sent: `0x${'cd'.repeat(32)}`};
    const start = performance.now();
    assert.equal((await shop.pay(await shop.signed())).status, 503);
    assert.ok(performance.now() - start < 3_000, 'it takes too long');
  });

  test('a reconciliation with a slow node does not keep the gate from ending', async () => {
    await using shop = await Shop.start();
    const node = await startNode(() => Math.floor(Date.now() / 1000), 100);
    for (let sales = 0; sales < 100; sales++) assert.ok(await shop.ledger.start(newSale(), ''));
    await sleep(HELD_MS);
    await shop.open({}, node.url);
    await sleep(500);
    const start = performance.now();
    await shop.gate.stop();
    assert.ok(performance.now() - start < 4_000, 'it takes too long');
    await node.stop();
  });

  test('a buyer who waited for a sale has less time to wait for its settlement', async () => {
    await using shop = await Shop.start();
    await shop.open();
    const asked = await shop.signed();
    const {payload, accepted} = JSON.parse(Buffer.from(asked, 'base64').toString()) as Json;
    const [of, requirements] = [payload.authorization, accepted];
    const payer = shop.buyer.address.toLowerCase();
    await shop.ledger.start(
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
    shop.facilitator.settle = 'hang';
    const start = performance.now();
    assert.equal((await shop.pay(await shop.signed())).status, 503);
    assert.ok(performance.now() - start < PATIENCE_MS + 1_000, 'it takes too long');
  });
});

/** A gate with a separate ledger, facilitator and buyer. */
class Shop implements AsyncDisposable {
  readonly buyer = privateKeyToAccount(generatePrivateKey());
  readonly facilitator: StandIn;
  readonly ledger: Ledger;
  #gate: Listening | undefined;

  private constructor(facilitator: StandIn, ledger: Ledger) {
    this.facilitator = facilitator;
    this.ledger = ledger;
  }

  static async start(): Promise<Shop> {
    return new Shop(await startStandIn(), await openSqlite(':memory:', HELD_MS));
  }

  get gate(): Listening {
    return this.#gate ?? assert.fail('not open yet');
  }

  /** Opens the gate over a ledger with changed methods. */
  async open(changes: Partial<Ledger> = {}, rpcUrl?: string, {root} = sites.products): Promise<void> {
    const ledger = new Proxy(this.ledger, {
      get: (target, name: keyof Ledger) => changes[name] ?? target[name].bind(target as never),
    });
    this.#gate = await startGate(root, this.facilitator.url, {
      timeoutMs: PATIENCE_MS,
      ledger,
      rpcUrl,
      reconciling: {everyMs: 200, lagMs: 1_000},
    });
  }

  /** @param seconds the time for which it is valid, by default the longest allowed time */
  async signed(seconds?: number): Promise<string> {
    const challenge = decoded(await fetch(this.gate.url + path), 'PAYMENT-REQUIRED');
    const validBefore = String(
      Math.floor(Date.now() / 1000) + (seconds ?? challenge.accepts[0]?.maxTimeoutSeconds ?? 0),
    );
    return encoded(await forge(challenge, this.buyer, {authorization: {validBefore}}));
  }

  pay(payment: string): Promise<Response> {
    return fetch(this.gate.url + path, {headers: {'PAYMENT-SIGNATURE': payment}});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.facilitator.stop();
    await this.#gate?.stop();
    await this.ledger.close();
  }
}

/** Changes the first product to a pass for the next snapshot. */
function sellPass({rules, catalogue}: Parameters<NonNullable<FixtureOptions['alter']>>[0]): void {
  const [rule, product] = [rules.rules[0], catalogue.products[0]];
  if (rule) Object.assign(rule, {pass: {next: 1}, snapshots: {a: [BEFORE, NOW]}});
  if (product) Object.assign(product, {pass: {next: 1}});
}

/** Starts a node of a chain without used authorizations. Its last block has this time, in seconds since 1970. */
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
