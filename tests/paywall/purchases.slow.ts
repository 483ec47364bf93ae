import assert from 'node:assert/strict';
import {readFile, rename, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {wrapFetchWithPaymentFromConfig} from '@x402/fetch';
import axios, {wrapAxiosWithPaymentFromConfig} from '../extra/axios.js';
import type {PrivateKeyAccount} from 'viem/accounts';
import {network, type LocalChain, balanceOf, fundedBuyer} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {sharedChain} from '../shared-chain.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {canary, fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {transfersBetween} from './transfers.ts';

const path = '/api/v1/softfail3';

describe('purchases on a real chain, through the gate on Node', () => {
  let site: FixtureSite;
  let chain: LocalChain;
  let facilitator: Listening;
  let gate: Listening;
  let document: string;

  before(async () => {
    site = await fixtureSite();
    document = await readFile(join(site.root, 'public', path), 'utf8');
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    gate = await startGate(site.root, facilitator.url, {clientAddressHeader: 'X-Client'});
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
    const response = await pay(gate.url + path);
    assert.equal(response.status, 200);
    assert.equal(await response.text(), document);
    await assertPaid(buyer, decoded(response, 'PAYMENT-RESPONSE').transaction);
  });

  test('@x402/axios buys a document', async () => {
    const buyer = await fundedBuyer(chain, '0.05');
    const pay = wrapAxiosWithPaymentFromConfig(axios.create(), {
      schemes: [{network, client: new ExactEvmScheme(buyer)}],
    });
    const response = await pay.get<string>(gate.url + path, {responseType: 'text'});
    assert.equal(response.status, 200);
    assert.equal(response.data, document);
    const receipt = Buffer.from(String(response.headers['payment-response']), 'base64').toString();
    await assertPaid(buyer, (JSON.parse(receipt) as {transaction: string}).transaction);
  });

  test('a request made by hand from the specification buys a document', async () => {
    const buyer = await fundedBuyer(chain, '0.05');
    const response = await send(await signedBy(buyer));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Content-Type'), 'application/json; charset=utf-8');
    assert.match(response.headers.get('Cache-Control') ?? '', /private|no-store/);
    assert.equal(await response.text(), document);
    await assertPaid(buyer, decoded(response, 'PAYMENT-RESPONSE').transaction);
  });

  test('a payment buys once: if it is sent again, it gets no document and charges nothing', async () => {
    const buyer = await fundedBuyer(chain, '0.05');
    const payment = await signedBy(buyer);
    assert.equal((await send(payment)).status, 200);
    for (let again = 0; again < 3; again++) await assertRefused(await send(payment), /nonce_already_used/);
    await assertTransfers(buyer, 1);
  });

  test('20 buyers at once get a document each', async () => {
    const buyers = [];
    for (let n = 0; n < 20; n++) buyers.push(await fundedBuyer(chain, '0.02'));
    const payments = await Promise.all(buyers.map(buyer => signedBy(buyer)));
    // One client address may have only 12 payments verified at a time.
    const responses = await Promise.all(
      payments.map((payment, n) => send(payment, path, {'X-Client': `192.0.2.${n}`})),
    );
    assert.deepEqual(new Set(responses.map(response => response.status)), new Set([200]));
    for (const buyer of buyers) assert.equal(await balanceOf(chain, buyer.address), 0n);
  });

  test('a buyer with too little money is refused with the reason', async () => {
    const buyer = await fundedBuyer(chain, '0.019999');
    await assertRefused(await send(await signedBy(buyer)), /insufficient_balance/);
    await assertTransfers(buyer, 0);
  });

  test('a payment signed by another key is refused with the reason', async () => {
    const [rich, thief] = [await fundedBuyer(chain, '1'), await fundedBuyer(chain, '0')];
    const forged = await signedBy({...thief, address: rich.address});
    await assertRefused(await send(forged), /invalid_exact_evm_signature/);
    await assertTransfers(rich, 0);
  });

  test('a payment for another document of the same price is refused and charges nothing', async () => {
    const buyer = await fundedBuyer(chain, '0.05');
    const payment = await signedBy(buyer, '/api/v1/firstlastsame');
    await assertRefused(await send(payment), /resource_mismatch/);
    await assertTransfers(buyer, 0);
    assert.equal((await send(payment, '/api/v1/firstlastsame')).status, 200);
    await assertTransfers(buyer, 1);
  });

  const damages: Record<string, (file: string) => Promise<void>> = {
    missing: file => rename(file, `${file}.away`),
    'cut short': file => writeFile(file, document.slice(0, 40)),
    changed: file => writeFile(file, document.replace('0.example', '1.example')),
  };
  for (const [how, damage] of Object.entries(damages)) {
    test(`a document that is ${how} is found before the settlement: nothing is charged, and it sells again`, async () => {
      const buyer = await fundedBuyer(chain, '0.05');
      const payment = await signedBy(buyer);
      const file = join(site.root, 'public', path);
      await damage(file);
      const refusal = await send(payment);
      await writeFile(file, document);
      assert.equal(refusal.status, 503);
      assert.equal(refusal.headers.get('Content-Type'), 'application/problem+json');
      assert.equal(refusal.headers.get('PAYMENT-RESPONSE'), null);
      await assertTransfers(buyer, 0);
      assert.equal((await send(payment)).status, 200);
      await assertTransfers(buyer, 1);
    });
  }

  async function signedBy(buyer: PrivateKeyAccount, document = path): Promise<string> {
    const response = await fetch(gate.url + document);
    assert.equal(response.status, 402);
    return paymentFor(decoded(response, 'PAYMENT-REQUIRED'), buyer);
  }

  function send(payment: string, document = path, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(gate.url + document, {headers: {...headers, 'PAYMENT-SIGNATURE': payment}});
  }

  /** Asserts that there is one transfer of the price, in the transaction of the receipt. */
  async function assertPaid(buyer: PrivateKeyAccount, transaction: string): Promise<void> {
    assert.match(transaction, /^0x[0-9a-f]{64}$/);
    const receipt = await chain.client.getTransactionReceipt({hash: transaction as `0x${string}`});
    assert.equal(receipt.status, 'success');
    assert.equal(await balanceOf(chain, buyer.address), 30_000n);
    await assertTransfers(buyer, 1);
  }

  async function assertTransfers(buyer: PrivateKeyAccount, count: number): Promise<void> {
    assert.equal(await transfersBetween(chain, buyer.address, payTo), count);
  }

  async function assertRefused(response: Response, reason: RegExp): Promise<void> {
    assert.equal(response.status, 402);
    assert.match(decoded(response, 'PAYMENT-REQUIRED').error ?? '', reason);
    assert.ok(!(await response.text()).includes(canary), 'a refusal shows the document');
  }
});
