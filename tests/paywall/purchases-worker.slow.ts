import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {wrapFetchWithPaymentFromConfig} from '@x402/fetch';
import axios, {wrapAxiosWithPaymentFromConfig} from '../extra/axios.js';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import {network, type LocalChain, fundedBuyer} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {sharedChain} from '../shared-chain.ts';
import {fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {startStandIn, type StandIn} from './stand-in.ts';
import {transfersBetween} from './transfers.ts';
import {startWorkerGate, type WorkerGate} from './worker-gate.ts';

const path = '/api/v1/softfail3';
const FAILING_WORKER = join(import.meta.dirname, 'failing-worker.ts');

describe('purchases on a real chain, through the gate in workerd', () => {
  let site: FixtureSite;
  let chain: LocalChain;
  let facilitator: Listening;
  let gate: WorkerGate;

  before(async () => {
    site = await fixtureSite();
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    gate = await startWorkerGate(site, facilitator.url);
  });
  after(async () => {
    await gate.stop();
    await facilitator.stop();
    await chain.stop();
    await site.remove();
  });

  test('@x402/fetch buys a document', async () => {
    const buyer = await fundedBuyer(chain, '0.05');
    const pay = wrapFetchWithPaymentFromConfig(fetch, {schemes: [{network, client: new ExactEvmScheme(buyer)}]});
    await assertSold(await pay(gate.url + path), buyer);
  });

  test('@x402/axios buys a document', async () => {
    const buyer = await fundedBuyer(chain, '0.05');
    const schemes = [{network, client: new ExactEvmScheme(buyer)}];
    const pay = wrapAxiosWithPaymentFromConfig(axios.create(), {schemes});
    const response = await pay.get<string>(gate.url + path, {responseType: 'text'});
    assert.equal(response.data, site.files.get(path));
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
  });

  test('a request made by hand from the specification buys a document', async () => {
    const buyer = await fundedBuyer(chain, '0.05');
    await assertSold(await send(await signedBy(buyer)), buyer);
  });

  test('one authorization in 20 concurrent requests and in later ones buys one document with one transfer', async () => {
    const buyer = await fundedBuyer(chain, '1');
    const payment = await signedBy(buyer);
    const answers = await Promise.all(Array.from({length: 20}, () => send(payment)));
    const bodies = await Promise.all(answers.map(answer => answer.text()));
    assert.equal(bodies.filter(body => body === site.files.get(path)).length, 1);
    assert.equal((await send(payment)).status, 402);
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
  });

  test('a buyer with too little money is refused with the reason', async () => {
    const buyer = await fundedBuyer(chain, '0.019999');
    const refused = await send(await signedBy(buyer));
    assert.equal(refused.status, 402);
    assert.equal(decoded(refused, 'PAYMENT-REQUIRED').error, 'invalid_exact_evm_insufficient_balance');
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 0);
  });

  async function signedBy(buyer: PrivateKeyAccount): Promise<string> {
    return paymentFor(decoded(await fetch(gate.url + path), 'PAYMENT-REQUIRED'), buyer);
  }

  function send(payment: string): Promise<Response> {
    return fetch(gate.url + path, {headers: {'PAYMENT-SIGNATURE': payment}});
  }

  async function assertSold(response: Response, buyer: PrivateKeyAccount): Promise<void> {
    assert.equal(response.status, 200);
    assert.equal(await response.text(), site.files.get(path));
    assert.equal(response.headers.get('Content-Type'), 'application/json; charset=utf-8');
    assert.equal(response.headers.get('Cache-Control'), 'private, no-store');
    assert.equal(response.headers.get('ETag'), null);
    assert.match(decoded(response, 'PAYMENT-RESPONSE').transaction, /^0x[0-9a-f]{64}$/);
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
  }
});

describe('a paid document that was not delivered, through the gate in workerd', () => {
  let site: FixtureSite;
  let chain: LocalChain;
  let facilitator: StandIn;
  let gate: WorkerGate;

  before(async () => {
    site = await fixtureSite();
    chain = await sharedChain();
    facilitator = await startStandIn();
    gate = await startWorkerGate(site, facilitator.url, chain.rpcUrl);
  });
  after(async () => {
    await gate.stop();
    await facilitator.stop();
    await chain.stop();
    await site.remove();
  });

  test('can be collected only by its payer, with a new payment that is not settled', async () => {
    facilitator.settle = 'drop';
    const buyer = newKey();
    const payment = await signedBy(buyer);
    assert.equal((await send(payment)).status, 503);
    facilitator.settle = 'good';
    const collected = await send(await signedBy(buyer));
    assert.equal(collected.status, 200);
    assert.equal(await collected.text(), site.files.get(path));
    assert.equal((await send(payment)).status, 402);
    const [settled, ...again] = facilitator.submitted;
    assert.deepEqual(again, [settled]);
  });

  test('can be collected after the object with the ledger failed, and the failure stops sales before a charge', async () => {
    const failing = await startWorkerGate(site, facilitator.url, chain.rpcUrl, {entrypoint: FAILING_WORKER});
    const [unlucky, late] = [newKey(), newKey()];
    facilitator.settle = 'drop';
    assert.equal((await send(await signedBy(unlucky, failing), failing)).status, 503);
    facilitator.settle = 'good';
    const nonces = new Set(facilitator.submitted).size;
    const payments = [await signedBy(unlucky, failing), await signedBy(late, failing)];
    await fetch(`${failing.url}/fail?yes`);
    for (const payment of payments) {
      const refused = await send(payment, failing);
      assert.equal(refused.status, 503);
      assert.match(refused.headers.get('Retry-After') ?? '', /^\d+$/);
    }
    assert.equal((await fetch(`${failing.url}/api/v1/index.json`)).status, 200);
    assert.equal(new Set(facilitator.submitted).size, nonces);
    await fetch(`${failing.url}/fail?no`);
    for (const payment of payments) {
      const sold = await send(payment, failing);
      assert.equal(sold.status, 200);
      assert.equal(await sold.text(), site.files.get(path));
    }
    assert.equal(new Set(facilitator.submitted).size, nonces + 1);
    await failing.stop();
  });

  test('does not prevent the reconciliation with the chain', async () => {
    await gate.scheduled();
  });

  async function signedBy(buyer: PrivateKeyAccount, {url} = gate): Promise<string> {
    return paymentFor(decoded(await fetch(url + path), 'PAYMENT-REQUIRED'), buyer);
  }

  function send(payment: string, {url} = gate): Promise<Response> {
    return fetch(url + path, {headers: {'PAYMENT-SIGNATURE': payment}});
  }
});

function newKey(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}
