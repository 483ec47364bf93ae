import assert from 'node:assert/strict';
import {EventEmitter, once} from 'node:events';
import {after, afterEach, before, describe, test} from 'node:test';
import {Hono} from 'hono';
import {parseEther} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {serveSite, type Running} from '../../paywall/hosts/node.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {startChain, type LocalChain, fundedBuyer} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {encoded, forge} from './forge.ts';
import {decoded} from './hand-made.ts';
import {transfersBetween} from './transfers.ts';

const path = '/api/v1/softfail3';

/** One payment at several gates buys once, and the sender of its transaction does not matter. */
describe('settlements that compete with another transaction', () => {
  let site: FixtureSite;
  let chain: LocalChain;
  let facilitators: Listening[];
  /** One address for several wallets, like a large facilitator, so that settlements do not wait for each other. */
  let front: Listening;
  /** Three gates: with a node of the chain, without one, and with one. */
  let gates: Running[];
  const starting = new EventEmitter();
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
});

type Json = Record<string, unknown>;
