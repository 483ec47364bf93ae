import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {wrapFetchWithPaymentFromConfig} from '@x402/fetch';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import {network, type LocalChain, fundedBuyer} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {sharedChain} from '../shared-chain.ts';
import {fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {path} from './shop.ts';
import {startStandIn} from './stand-in.ts';
import {transfersBetween} from './transfers.ts';
import {startWorkerGate, type WorkerGate} from './worker-gate.ts';

const FAILING_WORKER = join(import.meta.dirname, 'failing-worker.ts');

describe('through the gate in workerd', () => {
  let site: FixtureSite;
  let chain: LocalChain;

  before(async () => {
    [site, chain] = [await fixtureSite(), await sharedChain()];
  });
  after(async () => {
    await chain.stop();
    await site.remove();
  });

  test('@x402/fetch buys a document for one transfer on a real chain', async () => {
    const facilitator = await startFacilitator(chain);
    const gate = await startWorkerGate(site, facilitator.url);
    const buyer = await fundedBuyer(chain, '0.05');
    const pay = wrapFetchWithPaymentFromConfig(fetch, {schemes: [{network, client: new ExactEvmScheme(buyer)}]});
    const response = await pay(gate.url + path);
    assert.equal(response.status, 200);
    assert.equal(await response.text(), site.files.get(path));
    assert.equal(response.headers.get('Content-Type'), 'application/json; charset=utf-8');
    assert.equal(response.headers.get('Cache-Control'), 'private, no-store');
    assert.equal(response.headers.get('ETag'), null);
    assert.match(decoded(response, 'PAYMENT-RESPONSE').transaction, /^0x[0-9a-f]{64}$/);
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
    await gate.stop();
    await facilitator.stop();
  });

  test('a paid document can be collected after the object with the ledger failed, and the failure stops sales before a charge', async () => {
    const facilitator = await startStandIn();
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
    await facilitator.stop();
  });
});

async function signedBy(buyer: PrivateKeyAccount, {url}: WorkerGate): Promise<string> {
  return paymentFor(decoded(await fetch(url + path), 'PAYMENT-REQUIRED'), buyer);
}

function send(payment: string, {url}: WorkerGate): Promise<Response> {
  return fetch(url + path, {headers: {'PAYMENT-SIGNATURE': payment}});
}

function newKey(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}
