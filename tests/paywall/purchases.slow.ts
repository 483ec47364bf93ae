import assert from 'node:assert/strict';
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
import {canary, fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {path} from './shop.ts';
import {transfersBetween} from './transfers.ts';

/** Clients that buy the document at an address. */
const clients: Readonly<Record<string, (url: string, buyer: PrivateKeyAccount) => Promise<Response>>> = {
  '@x402/fetch'(url, buyer) {
    const pay = wrapFetchWithPaymentFromConfig(fetch, {schemes: [{network, client: new ExactEvmScheme(buyer)}]});
    return pay(url);
  },
  async '@x402/axios'(url, buyer) {
    const schemes = [{network, client: new ExactEvmScheme(buyer)}];
    const pay = wrapAxiosWithPaymentFromConfig(axios.create(), {schemes});
    const {data, status, headers} = await pay.get<string>(url, {responseType: 'text'});
    return new Response(data, {status, headers: {'PAYMENT-RESPONSE': String(headers['payment-response'])}});
  },
  'a request made by hand from the specification': send,
};

describe('purchases on a real chain, through the gate on Node', () => {
  let site: FixtureSite;
  let chain: LocalChain;
  let facilitator: Listening;
  let gate: Listening;

  before(async () => {
    site = await fixtureSite();
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    gate = await startGate(site.root, facilitator.url);
  });
  after(async () => {
    await gate.stop();
    await facilitator.stop();
    await chain.stop();
    await site.remove();
  });

  for (const [client, buy] of Object.entries(clients))
    test(`${client} buys a document for one transfer of its price`, async () => {
      const buyer = await fundedBuyer(chain, '0.05');
      const response = await buy(gate.url + path, buyer);
      assert.equal(response.status, 200);
      assert.equal(await response.text(), site.files.get(path));
      const {transaction} = decoded(response, 'PAYMENT-RESPONSE');
      assert.equal((await chain.client.getTransactionReceipt({hash: transaction})).status, 'success');
      assert.equal(await balanceOf(chain, buyer.address), 30_000n);
      assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
    });

  for (const [what, dollars, signed, reason] of [
    ['with too little money', '0.019999', (buyer: PrivateKeyAccount) => buyer, /insufficient_balance/],
    [
      'signed by another key',
      '1',
      async (buyer: PrivateKeyAccount) => ({...(await fundedBuyer(chain, '0')), address: buyer.address}),
      /invalid_exact_evm_signature/,
    ],
  ] as const)
    test(`a payment ${what} is refused with the reason, and charges nothing`, async () => {
      const buyer = await fundedBuyer(chain, dollars);
      const refused = await send(gate.url + path, await signed(buyer));
      assert.equal(refused.status, 402);
      assert.match(decoded(refused, 'PAYMENT-REQUIRED').error ?? '', reason);
      assert.ok(!(await refused.text()).includes(canary), 'a refusal shows the document');
      assert.equal(await transfersBetween(chain, buyer.address, payTo), 0);
    });
});

async function send(url: string, buyer: PrivateKeyAccount): Promise<Response> {
  const payment = await paymentFor(decoded(await fetch(url), 'PAYMENT-REQUIRED'), buyer);
  return fetch(url, {headers: {'PAYMENT-SIGNATURE': payment}});
}
