import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {startChain, type LocalChain} from '../../scripts/local-chain/chain.ts';
import {fixtureSite} from '../paywall/fixture-site.ts';
import {buy, newBuyer, path, transfersOf, until} from '../paywall/shop.ts';
import {decoded, paymentFor} from '../paywall/hand-made.ts';
import {startMiniflareGate} from '../paywall/miniflare-gate.ts';
import {startWorkerGate} from '../paywall/worker-gate.ts';
import {nodeFront} from './node-front.ts';
import {fundedSettler} from './settler-shop.ts';

const BUYERS = 30;
const SEND = 'eth_sendRawTransaction';

describe('a Worker that settles by itself, in workerd,', () => {
  let chain: LocalChain;
  before(async () => {
    chain = await startChain();
  });
  after(() => chain.stop());

  test(`sells ${BUYERS} documents at once for ${BUYERS} transfers`, async () => {
    const site = await fixtureSite();
    const key = generatePrivateKey();
    const {address} = await fundedSettler(chain, '10', key);
    const worker = await startWorkerGate(site, '', chain.rpcUrl, {secrets: {FROZEN_SETTLER_KEY: key}});
    try {
      const buyers = await Promise.all(Array.from({length: BUYERS}, () => newBuyer(chain)));
      const bought = await Promise.all(buyers.map(buyer => buy(worker.url + path, buyer)));
      assert.ok(bought.every(({text}) => text === site.files.get(path)));
      for (const buyer of buyers) assert.equal((await transfersOf(chain, buyer)).length, 1);
      assert.equal(await chain.client.getTransactionCount({address}), BUYERS);
    } finally {
      await worker.stop();
      await site.remove();
    }
  });

  test('reports that it cannot reach its node without the key in the address', async () => {
    const site = await fixtureSite();
    const bindings = {FROZEN_RPC_URL: 'http://127.0.0.1:4/v2/HIDDEN', FROZEN_SETTLER_KEY: generatePrivateKey()};
    const worker = await startMiniflareGate(site, bindings);
    const payment = await paymentFor(
      decoded(await fetch(worker.url + path), 'PAYMENT-REQUIRED'),
      privateKeyToAccount(generatePrivateKey()),
    );
    assert.equal((await fetch(worker.url + path, {headers: {'PAYMENT-SIGNATURE': payment}})).status, 503);
    await worker.scheduled();
    const log = await worker.stop();
    assert.match(log, /The settler 0x\w+ could not complete a payment: HTTP request failed/);
    assert.match(log, /^\s+at /m);
    assert.doesNotMatch(log, /HIDDEN/);
    await site.remove();
  });

  test('sends, when it is scheduled, a transaction that was signed before the Worker ended', async () => {
    await using front = await nodeFront(chain);
    const site = await fixtureSite();
    const key = generatePrivateKey();
    const {address} = await fundedSettler(chain, '10', key);
    const persist = await mkdtemp(join(tmpdir(), 'worker-'));
    const options = {secrets: {FROZEN_SETTLER_KEY: key}, persist};
    const [buyer, leaving] = [await newBuyer(chain), new AbortController()];
    let isAway = false;
    front.onItsWay = (method, ask) => {
      isAway ||= method === SEND;
      return isAway ? Promise.resolve(new Response('', {status: 503})) : ask();
    };
    const first = await startWorkerGate(site, '', front.url, options);
    const buying = buy(first.url + path, buyer, undefined, leaving.signal).catch(() => undefined);
    await until(() => isAway || undefined);
    await first.stop();
    leaving.abort();
    await buying;
    front.onItsWay = (_, ask) => ask();
    const worker = await startWorkerGate(site, '', front.url, options);
    try {
      await until(async () => {
        await worker.scheduled();
        return (await chain.client.getTransactionCount({address})) > 0 || undefined;
      }, 60_000);
      const {text} = await buy(worker.url + path, buyer);
      assert.equal(text, site.files.get(path));
      assert.equal((await transfersOf(chain, buyer)).length, 1);
    } finally {
      await worker.stop();
      await rm(persist, {recursive: true});
      await site.remove();
    }
  });
});
