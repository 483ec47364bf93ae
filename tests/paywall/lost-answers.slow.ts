import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {Hono} from 'hono';
import {parseAbi, type Hex} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {serveSite, type Running} from '../../paywall/hosts/node.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import type {Chain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {usdc} from '../../scripts/local-chain/contracts.ts';
import {balanceOf, fundedBuyer} from '../../scripts/local-chain/token.ts';
import {sharedChain} from '../shared-chain.ts';
import {fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {forge, encoded} from './forge.ts';
import {decoded} from './hand-made.ts';
import {transfersBetween} from './transfers.ts';

const path = '/api/v1/softfail3';
const sibling = '/api/v1/firstlastsame';
const tokenAbi = parseAbi([
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
]);

describe('settlements with a lost response, reconciled with a real chain', () => {
  let site: FixtureSite;
  let chain: Chain;
  let facilitator: Listening;
  /** A proxy between the facilitator and the chain. */
  let node: Listening;
  let between: Listening;
  let gate: Running;
  /** Handles a settlement on its way to the facilitator. */
  let onRequest: 'answered' | 'settled and lost' | 'lost' | 'sent and lost' = 'answered';

  before(async () => {
    site = await fixtureSite();
    chain = await sharedChain();
    node = await listen(
      new Hono().post('*', async c => {
        const body = await c.req.text();
        const answer = await fetch(chain.rpcUrl, {method: 'POST', body, headers: {'Content-Type': 'application/json'}});
        return onRequest === 'sent and lost' && body.includes('eth_sendRawTransaction') ? c.text('', 504) : answer;
      }),
    );
    facilitator = await startFacilitator({...chain, rpcUrl: node.url});
    between = await listen(
      new Hono().post('*', async c => {
        const settles = c.req.path === '/settle';
        if (settles && onRequest === 'lost') return c.text('', 502);
        const body = await c.req.text();
        const headers = {'Content-Type': 'application/json'};
        const answer = await fetch(facilitator.url + c.req.path, {method: 'POST', body, headers});
        return settles && onRequest === 'settled and lost' ? c.text('', 502) : answer;
      }),
    );
    gate = await serveSite(await openSite(site.root), {
      port: 0,
      host: '127.0.0.1',
      ledger: await openSqlite(':memory:'),
      facilitatorUrl: between.url,
      rpcUrl: chain.rpcUrl,
      onError: console.error,
    });
  });
  after(async () => {
    await gate.stop();
    await between.stop();
    await facilitator.stop();
    await node.stop();
    await chain.stop();
    await site.remove();
  });

  test('a charged buyer gets the document immediately, with the transaction', async () => {
    const buyer = await fundedBuyer(chain, '0.05');
    const payment = await signed(buyer);
    onRequest = 'settled and lost';
    const sold = await send(payment);
    assert.equal(sold.status, 200);
    assert.equal(await sold.text(), site.files.get(path));
    const {transaction} = decoded(sold, 'PAYMENT-RESPONSE');
    assert.equal((await chain.client.getTransactionReceipt({hash: transaction})).status, 'success');
    assert.equal((await send(payment)).status, 402);
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
  });

  test('a buyer whose money moved gets the document, too, where the facilitator does not know that it did', async () => {
    const buyer = await fundedBuyer(chain, '0.05');
    onRequest = 'sent and lost';
    const sold = await send(await signed(buyer));
    assert.equal(sold.status, 200);
    assert.equal(await sold.text(), site.files.get(path));
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
  });

  test('a settlement that was never sent is settled when its payer tries again after the facilitator is back', async () => {
    const buyer = await fundedBuyer(chain, '0.05');
    onRequest = 'lost';
    assert.equal((await send(await signed(buyer))).status, 503);
    assert.equal((await send(await signed(buyer))).status, 503);
    onRequest = 'answered';
    assert.equal((await send(await signed(buyer))).status, 200);
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
  });

  test('a payer who uses the nonce for another transfer in the meantime gets no document', async () => {
    const buyer = await fundedBuyer(chain, '0.05');
    const payload = await forge(await challenge(), buyer);
    onRequest = 'lost';
    assert.equal((await send(encoded(payload))).status, 503);
    await payThemselves(buyer, nonceOf(payload));
    onRequest = 'answered';
    assert.notEqual((await send(encoded(payload))).status, 200);
    assert.equal(await balanceOf(chain, buyer.address), 50_000n);
    assert.equal((await send(await signed(buyer))).status, 200);
    assert.equal(await balanceOf(chain, buyer.address), 30_000n);
  });

  test('a payer who empties the wallet in the meantime gets no document', async () => {
    const buyer = await fundedBuyer(chain, '0.02');
    onRequest = 'lost';
    assert.equal((await send(await signed(buyer))).status, 503);
    onRequest = 'answered';
    assert.equal((await send(await signed(buyer, sibling), sibling)).status, 200);
    assert.equal((await send(await signed(buyer))).status, 503);
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
  });

  async function signed(buyer: PrivateKeyAccount, document = path): Promise<string> {
    return encoded(await forge(await challenge(document), buyer));
  }

  async function challenge(document = path) {
    return decoded(await fetch(gate.url + document), 'PAYMENT-REQUIRED');
  }

  function send(payment: string, document = path): Promise<Response> {
    return fetch(gate.url + document, {headers: {'PAYMENT-SIGNATURE': payment}, signal: AbortSignal.timeout(10_000)});
  }

  /** Uses the nonce of a payment for a transfer to the payer. */
  async function payThemselves(buyer: PrivateKeyAccount, nonce: Hex): Promise<void> {
    const {payload} = await forge(await challenge(), buyer, {authorization: {to: buyer.address, nonce}});
    const {signature, authorization} = payload as {signature: Hex; authorization: Record<string, string>};
    const [r, s, v] = [`0x${signature.slice(2, 66)}`, `0x${signature.slice(66, 130)}`, `0x${signature.slice(130)}`];
    const {from, value, validAfter, validBefore} = authorization;
    const hash = await chain.client.writeContract({
      address: usdc,
      abi: tokenAbi,
      functionName: 'transferWithAuthorization',
      args: [
        from as Hex,
        from as Hex,
        BigInt(value ?? 0),
        BigInt(validAfter ?? 0),
        BigInt(validBefore ?? 0),
        nonce,
        Number(v),
        r as Hex,
        s as Hex,
      ],
    });
    await chain.client.waitForTransactionReceipt({hash});
  }
});

function nonceOf(payload: Record<string, unknown>): Hex {
  return (payload as {payload: {authorization: {nonce: Hex}}}).payload.authorization.nonce;
}
