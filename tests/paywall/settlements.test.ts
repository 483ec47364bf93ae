import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {canary, fixtureSite, type FixtureSite} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {secret, startStandIn, type Manner, type StandIn} from './stand-in.ts';

const path = '/api/v1/softfail3';
const sibling = '/api/v1/firstlastsame'; // costs the same
const used = 'invalid_exact_evm_nonce_already_used';
const PROMPT_MS = 10_000;

const broken: Manner[] = ['drop', 'garbage', 'wrong shape', 'error'];

describe('settlements through a facilitator that fails', () => {
  let site: FixtureSite;
  let facilitator: StandIn;
  let gate: Listening;
  let buyer: PrivateKeyAccount;

  before(async () => {
    site = await fixtureSite();
  });
  beforeEach(async () => {
    facilitator = await startStandIn();
    gate = await startGate(site.root, facilitator.url);
    buyer = privateKeyToAccount(generatePrivateKey());
  });
  afterEach(async () => {
    await facilitator.stop();
    await gate.stop();
  });
  after(() => site.remove());

  test('a facilitator that is not running yet delays sales, but not the challenge', async () => {
    const port = Number(new URL(facilitator.url).port);
    await facilitator.stop();
    const payment = await signed();
    await assertPutOff(await send(payment));
    facilitator = await startStandIn(port);
    await assertSold(await send(payment));
  });

  for (const manner of broken) {
    test(`after a verification that ends in ${describeManner(manner)} nothing is sold or submitted, and later sales succeed`, async () => {
      facilitator.verify = manner;
      const payment = await signed();
      await assertPutOff(await send(payment));
      assert.deepEqual(facilitator.submitted, []);
      facilitator.verify = 'good';
      await assertSold(await send(payment));
    });
  }

  for (const manner of [...broken, 'no transaction'] as const) {
    test(`a settlement that ends in ${describeManner(manner)} is settled again when its payer asks, and nothing else is`, async () => {
      facilitator.settle = manner;
      const payment = await signed();
      await assertPutOff(await send(payment));
      facilitator.settle = 'good';
      await assertSold(await send(await signed()));
      await assertRefused(await send(payment), used);
      const [first, ...others] = facilitator.submitted;
      assert.deepEqual(others, [first]);
      await assertSold(await send(await signed()));
      assert.equal(new Set(facilitator.submitted).size, 2);
    });
  }

  test('a declined settlement is answered with its reason, and its payer can pay again', async () => {
    facilitator.settle = {refuse: 'invalid_exact_evm_insufficient_balance'};
    const payment = await signed();
    const refused = await send(payment);
    assert.equal(decoded(refused, 'PAYMENT-RESPONSE').success, false);
    await assertRefused(refused, 'invalid_exact_evm_insufficient_balance');
    facilitator.settle = 'good';
    await assertRefused(await send(payment), 'invalid_exact_evm_insufficient_balance');
    await assertSold(await send(await signed()));
  });

  test('text in place of a reason code is not shown to the buyer', async () => {
    const payment = await signed();
    facilitator.verify = {refuse: `Error: ${secret}`};
    await assertRefused(await send(payment), 'payment_rejected');
    facilitator.verify = 'good';
    // The facilitator may have sent a transaction before it failed, so the sale stays open.
    facilitator.settle = {refuse: `Error: ${secret}`};
    await assertPutOff(await send(payment));
    facilitator.settle = 'good';
    await assertSold(await send(await signed()));
    assert.equal(new Set(facilitator.submitted).size, 1);
  });

  test('a payment for another document of the same price is refused, and charges nothing', async () => {
    const payment = await signed(sibling);
    await assertRefused(await send(payment, {}, path), 'resource_mismatch');
    assert.deepEqual(facilitator.submitted, []);
    await assertSold(await send(payment), sibling);
  });

  test('a paid request gets the whole document, also with headers for a range or a version', async () => {
    const {sha256} = site.catalogue.products[0]?.paid ?? assert.fail();
    const conditions = {Range: 'bytes=0-9', 'If-None-Match': `*, "${sha256.slice(0, 32)}"`, 'If-Range': '"x"'};
    await assertSold(await send(await signed(), conditions));
  });

  test('an authorization in another spelling is the same authorization', async () => {
    const payment = await signed();
    await assertSold(await send(payment));
    const nonce = facilitator.submitted[0] ?? '';
    const text = Buffer.from(payment, 'base64').toString();
    const respelled = text.replace(nonce, `0x${nonce.slice(2).toUpperCase()}`);
    const {status} = await send(Buffer.from(respelled).toString('base64'));
    // The first may be recorded a little later.
    assert.ok(status === 402 || status === 409);
    assert.equal(facilitator.submitted.length, 1);
  });

  async function signed(document = path, payer = buyer): Promise<string> {
    return paymentFor(decoded(await fetch(gate.url + document), 'PAYMENT-REQUIRED'), payer);
  }

  /** Requests a document, by default the one that the payment names. */
  function send(payment: string, conditions: Record<string, string> = {}, document?: string): Promise<Response> {
    const {resource} = JSON.parse(Buffer.from(payment, 'base64').toString()) as {resource: {url: string}};
    const headers = {'PAYMENT-SIGNATURE': payment, ...conditions};
    const url = gate.url + (document ?? new URL(resource.url).pathname);
    return fetch(url, {headers, signal: AbortSignal.timeout(PROMPT_MS)});
  }

  async function assertSold(response: Response, document = path): Promise<void> {
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.equal(text, site.files.get(document));
    assert.equal(response.headers.get('Cache-Control'), 'private, no-store');
    assert.equal(decoded(response, 'PAYMENT-RESPONSE').success, true);
  }

  async function assertPutOff(response: Response): Promise<void> {
    assert.equal(response.status, 503);
    assert.equal(response.headers.get('Content-Type'), 'application/problem+json');
    assert.match(response.headers.get('Retry-After') ?? '', /^\d+$/);
    await assertSilent(response);
  }

  async function assertRefused(response: Response, reason: string): Promise<void> {
    assert.equal(response.status, 402);
    assert.equal(decoded(response, 'PAYMENT-REQUIRED').error, reason);
    await assertSilent(response);
  }

  async function assertSilent(response: Response): Promise<void> {
    const headers = Array.from(response.headers, ([, value]) => value + Buffer.from(value, 'base64').toString());
    const reported = [...headers, await response.text()].join('\n');
    assert.ok(!reported.includes(canary), 'a byte of the document');
    assert.ok(!reported.includes('SECRET'), 'a text of the facilitator');
    assert.equal(response.headers.get('ETag'), null);
  }
});

function describeManner(manner: Manner): string {
  return typeof manner === 'string' ? `“${manner}”` : JSON.stringify(manner);
}
