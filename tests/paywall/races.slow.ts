import assert from 'node:assert/strict';
import {EventEmitter, once} from 'node:events';
import {after, afterEach, before, describe, test} from 'node:test';
import {Hono} from 'hono';
import {createWalletClient, encodeFunctionData, http, parseAbi, parseEther, parseGwei, type Hex} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import {baseSepolia} from 'viem/chains';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {serveSite, type Running} from '../../paywall/hosts/node.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {startChain, type Chain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {usdc} from '../../scripts/local-chain/contracts.ts';
import {fundedBuyer} from '../../scripts/local-chain/token.ts';
import {signed, transferOf} from './calldata.ts';
import {fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {encoded, forge} from './forge.ts';
import {decoded} from './hand-made.ts';
import {transfersBetween} from './transfers.ts';

const path = '/api/v1/softfail3';
const sibling = '/api/v1/firstlastsame'; // costs the same
/** Deployed at the same address on every chain, including Anvil's. */
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11';
const abi = parseAbi([
  'struct Call {address target; bytes callData;}',
  'struct Result {bool success; bytes returnData;}',
  'function tryAggregate(bool requireSuccess, Call[] calls) payable returns (Result[])',
]);
const fees = {gas: 900_000n, maxFeePerGas: parseGwei('50'), maxPriorityFeePerGas: parseGwei('20')};

/**
 * No document is delivered for a transaction that was faster than the facilitator's, and one payment at two gates buys
 * once.
 */
describe('settlements that compete with another transaction', () => {
  let site: FixtureSite;
  let chain: Chain;
  let facilitators: Listening[];
  /** One address for several wallets, like a large facilitator, so that settlements do not wait for each other. */
  let front: Listening;
  /** Three gates: with a node of the chain, without one, and with one. */
  let gates: Running[];
  const starting = new EventEmitter();
  let lost = false;
  /** True once the facilitator has named another transaction. */
  let replaced = false;
  /** The number of settlements after which all competing ones have arrived. */
  let together = 0;
  let settled = 0;

  before(async () => {
    site = await fixtureSite();
    // Not the shared chain, because the tests stop its mining.
    chain = await startChain();
    facilitators = [await startFacilitator(chain), await startFacilitator(chain), await startFacilitator(chain)];
    front = await listen(
      new Hono().post('*', async c => {
        const settles = c.req.path === '/settle';
        if (settles && lost) return c.text('', 502);
        const facilitator = facilitators[settles ? settled++ % facilitators.length : 0]?.url ?? '';
        // The competing settlements start together.
        if (settles && settled < together) await once(starting, 'all');
        else if (settles) starting.emit('all');
        const headers = {'Content-Type': 'application/json'};
        const answer = await fetch(facilitator + c.req.path, {method: 'POST', body: await c.req.text(), headers});
        if (!settles || !replaced) return answer;
        const previous = {success: false, errorReason: 'settlement_pending', transaction: `0x${'cd'.repeat(32)}`};
        return c.json({...((await answer.json()) as Json), ...previous});
      }),
    );
    const open = await openSite(site.root);
    const options = {timeoutMs: 3_000, port: 0, host: '127.0.0.1', facilitatorUrl: front.url, onError: console.error};
    gates = await Promise.all(
      [chain.rpcUrl, undefined, chain.rpcUrl].map(async rpcUrl =>
        serveSite(open, {...options, rpcUrl, ledger: await openSqlite(':memory:')}),
      ),
    );
  });
  afterEach(() => chain.client.setAutomine(true));
  after(async () => {
    for (const each of [...gates, front, ...facilitators, chain]) await each.stop();
    await site.remove();
  });

  test('a payer gets no document if its transfer to itself is faster', async () => {
    for (const gate of gates) {
      const buyer = await payer();
      const payload = await forge(await challengeOf(gate), buyer);
      const first = await unmined(1, () => [send(gate, payload)]);
      await write(buyer, usdc, transferOf(await toThemselves(gate, buyer, payload)));
      await chain.client.mine({blocks: 1});
      for (const answer of first) assert.notEqual((await answer).status, 200);
      await chain.client.setAutomine(true);
      for (let again = 0; again < 2; again++) assert.notEqual((await send(gate, payload)).status, 200);
      assert.equal(await transfersBetween(chain, buyer.address, payTo), 0);
      const answer = await send(gate, await forge(await challengeOf(gate), buyer));
      assert.equal(await transfersBetween(chain, buyer.address, payTo), answer.status === 200 ? 1 : 0);
    }
  });

  // A transfer to the payee pays for the sale with its authorization, independent of the sender of the transaction.
  // Gates with separate ledgers do not know of each other, so gates of one payee have to share a ledger.
  test('one payment that is sent to gates with separate ledgers is charged once, and each gives at most one document', async () => {
    const buyer = await payer();
    const [one] = gates;
    assert.ok(one);
    // It does not name its document, which is optional.
    const payload = {...(await forge(await challengeOf(one), buyer)), resource: undefined};
    const first = await unmined(gates.length, () => gates.map(gate => send(gate, payload)));
    await chain.client.mine({blocks: 1});
    const answers = await Promise.all(first);
    await chain.client.setAutomine(true);
    const again = await Promise.all(gates.map(gate => send(gate, payload)));
    for (const [index, {status}] of answers.entries()) assert.ok(status !== 200 || again[index]?.status !== 200);
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
  });

  test('one transfer among several payments in one transaction proves at most one payment', async () => {
    for (const gate of gates) {
      const buyer = await payer();
      const payloads = [
        await forge(await challengeOf(gate), buyer),
        await forge(await challengeOf(gate, sibling), buyer),
      ];
      const [paid, ...unpaid] = payloads;
      assert.ok(paid);
      const used = [paid, ...(await Promise.all(unpaid.map(payload => toThemselves(gate, buyer, payload))))];
      const first = await unmined(2, () => payloads.map(payload => send(gate, payload)));
      const calls = used.map(payload => ({target: usdc, callData: transferOf(payload)}));
      await write(buyer, MULTICALL, encodeFunctionData({abi, functionName: 'tryAggregate', args: [true, calls]}));
      await chain.client.mine({blocks: 1});
      await Promise.all(first);
      await chain.client.setAutomine(true);
      const answers = [
        ...(await Promise.all(first)),
        ...(await Promise.all(payloads.map(payload => send(gate, payload)))),
      ];
      assert.ok(answers.filter(({status}) => status === 200).length <= 1);
      assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
    }
  });

  test('one transfer proves one payment also after lost responses of the facilitator', async () => {
    const [gate] = gates;
    assert.ok(gate);
    const buyer = await payer();
    const [paid, unpaid] = [
      await forge(await challengeOf(gate), buyer),
      await forge(await challengeOf(gate, sibling), buyer),
    ];
    lost = true;
    for (const payload of [paid, unpaid]) assert.equal((await send(gate, payload)).status, 503);
    lost = false;
    const used = [paid, await toThemselves(gate, buyer, unpaid)];
    const calls = used.map(payload => ({target: usdc, callData: transferOf(payload)}));
    await write(buyer, MULTICALL, encodeFunctionData({abi, functionName: 'tryAggregate', args: [true, calls]}));
    for (const payload of [paid, unpaid]) assert.notEqual((await send(gate, payload)).status, 200);
    const [collected, sold] = [
      await forge(await challengeOf(gate), buyer),
      await forge(await challengeOf(gate, sibling), buyer),
    ];
    assert.equal((await send(gate, collected)).status, 200);
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
    // A payment without proof does not keep its payer from buying.
    assert.equal((await send(gate, sold)).status, 200);
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 2);
  });

  test('a transaction in place of the one that the facilitator named pays, and its payer is charged once', async () => {
    const [gate] = gates;
    assert.ok(gate);
    const buyer = await payer();
    const ask = async () => (await send(gate, await forge(await challengeOf(gate), buyer))).status;
    replaced = true;
    assert.equal(await ask(), 200);
    replaced = false;
    assert.equal(await transfersBetween(chain, buyer.address, payTo), 1);
  });

  async function payer(): Promise<PrivateKeyAccount> {
    const buyer = await fundedBuyer(chain, '0.10');
    await chain.client.setBalance({address: buyer.address, value: parseEther('1')});
    return buyer;
  }

  async function challengeOf(gate: Running, document = path) {
    return decoded(await fetch(gate.url + document), 'PAYMENT-REQUIRED');
  }

  /** Requests the document that the payment names, or the first one. */
  function send(gate: Running, payload: Json): Promise<Response> {
    const headers = {'PAYMENT-SIGNATURE': encoded(payload)};
    const {url} = (payload['resource'] as {url: string} | undefined) ?? {url: payTo};
    const document = URL.canParse(url) ? new URL(url).pathname : path;
    return fetch(gate.url + document, {headers, signal: AbortSignal.timeout(20_000)});
  }

  /** Starts requests, and returns them when the facilitator has sent their settlements, which are not mined yet. */
  async function unmined(count: number, start: () => Promise<Response>[]): Promise<Promise<Response>[]> {
    await chain.client.setAutomine(false);
    together = settled + count;
    const requests = start();
    // The later of two requests with one payment may find that the other is being settled, and send nothing.
    for (let look = 0; look < 25 || (await chain.client.getTxpoolStatus()).pending === 0; look++) {
      assert.ok(look < 1000, 'the facilitator sends nothing');
      await new Promise(resolve => setTimeout(resolve, 20));
    }
    return requests;
  }

  /** Signs the same nonce for a transfer to the payer's own address. */
  async function toThemselves(gate: Running, buyer: PrivateKeyAccount, payload: Json) {
    const authorization = {to: buyer.address, nonce: signed(payload).authorization.nonce};
    return forge(await challengeOf(gate), buyer, {authorization});
  }

  /** Sends a transaction with a higher fee than the waiting ones. */
  async function write(buyer: PrivateKeyAccount, to: Hex, data: Hex): Promise<void> {
    const wallet = createWalletClient({account: buyer, chain: baseSepolia, transport: http(chain.rpcUrl)});
    await wallet.sendTransaction({to, data, ...fees});
  }
});

type Json = Record<string, unknown>;
