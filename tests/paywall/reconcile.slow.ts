import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {wrapFetchWithPaymentFromConfig} from '@x402/fetch';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import type {PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import type {Sale} from '../../paywall/ledger/sale.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {network, startChain, type LocalChain, fundedBuyer} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {baseUrl, fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {transfersBetween} from './transfers.ts';

const path = '/api/v1/softfail3';
const sibling = '/api/v1/firstlastsame';

/** Not on the shared chain, because the chain removes blocks. */
describe('reconciliations of the ledger with a chain that is reorganised', () => {
  let site: FixtureSite;
  let chain: LocalChain;
  let facilitator: Listening;
  let ledger: Ledger;
  let gate: Listening;

  before(async () => {
    site = await fixtureSite();
    chain = await startChain();
    facilitator = await startFacilitator(chain);
    ledger = await openSqlite(':memory:');
    gate = await startGate(site.root, facilitator.url, {
      ledger,
      rpcUrl: chain.rpcUrl,
      reconciling: {everyMs: 50, lagMs: 0},
    });
  });
  after(async () => {
    for (const each of [gate, facilitator, chain]) await each.stop();
    await site.remove();
  });

  test('change a sale to unpaid if its transaction disappeared, and to paid if it returns', async () => {
    const buyer = await fundedBuyer(chain, '0.05');
    const kept = await buy(buyer, sibling);
    const before = await chain.client.snapshot();
    const sale = await buy(buyer, path);
    const raw = await chain.client.request({
      method: 'eth_getRawTransactionByHash' as never,
      params: [sale.transaction] as never,
    });
    await chain.client.revert({id: before});
    // The chain's clock must be past the settlement.
    await chain.client.mine({blocks: 3, interval: 10});
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
    const unpaid = await whenIn(sale.key, 'unpaid');
    assert.deepEqual([unpaid.reason, unpaid.transaction], ['taken back by the chain', sale.transaction]);
    assert.notEqual(unpaid.deliveredAt, null);
    assert.equal((await found(kept.key)).state, 'delivered');
    await chain.client.sendRawTransaction({serializedTransaction: raw});
    await whenIn(sale.key, 'delivered');
    // Anvil treats a block at this depth as final.
    await chain.client.mine({blocks: 100});
    while ((await found(sale.key)).finalAt === null) await sleep(50);
  });

  test('charge once if the transaction of a document that has not arrived disappears', async () => {
    const buyer = await fundedBuyer(chain, '0.05');
    const before = await chain.client.snapshot();
    const headers = {
      'PAYMENT-SIGNATURE': await paymentFor(decoded(await fetch(gate.url + path), 'PAYMENT-REQUIRED'), buyer),
    };
    const client = new AbortController();
    const leaving = fetch(gate.url + path, {headers, signal: client.signal});
    while ((await salesTo(buyer)).length === 0) await sleep(1);
    client.abort();
    await assert.rejects(leaving);
    const [{key} = assert.fail()] = await salesTo(buyer);
    assert.equal((await whenIn(key, 'settled')).deliveredAt, null);
    await chain.client.revert({id: before});
    await chain.client.mine({blocks: 3, interval: 10});
    assert.notEqual((await whenIn(key, 'pending')).transaction, null);
    assert.equal((await buy(buyer, path)).key, key);
    assert.equal((await salesTo(buyer)).length, 1);
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
  });

  /** Buys with the stock client, and returns the sale once it is delivered. */
  async function buy(buyer: PrivateKeyAccount, document: string): Promise<Sale> {
    const pay = wrapFetchWithPaymentFromConfig(fetch, {schemes: [{network, client: new ExactEvmScheme(buyer)}]});
    const response = await pay(gate.url + document);
    assert.equal(response.status, 200);
    await response.text();
    const sale = (await salesTo(buyer)).find(({url}) => url === baseUrl + document) ?? assert.fail();
    return whenIn(sale.key, 'delivered');
  }

  async function salesTo({address}: PrivateKeyAccount): Promise<Sale[]> {
    return (await ledger.list({limit: 10})).filter(({payer}) => payer === address.toLowerCase());
  }

  async function found(key: string): Promise<Sale> {
    return (await ledger.list({limit: 10})).find(sale => sale.key === key) ?? assert.fail();
  }

  async function whenIn(key: string, state: Sale['state']): Promise<Sale> {
    for (;;) {
      const sale = await found(key);
      if (sale.state === state) return sale;
      await sleep(50);
    }
  }
});
