import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {sharedChain} from '../shared-chain.ts';
import {assertSoldOnce, buy, kill, newBuyer, openShop, path, transfersOf, type Step} from './shop.ts';

const LONG = 20_000_000;

/** Handles the first request of one kind. `die` kills the gate. */
type OnRequest = (die: () => Promise<void>, ask: () => Promise<Response>) => Promise<unknown>;

/** The simulator kills gates at all other times, too. */
const moments: Readonly<Record<string, readonly [Step, OnRequest]>> = {
  'with a pending sale, before the facilitator receives the settlement': ['settle', die => die()],
  'with a settled sale, before the response arrives': ['settle', async (die, ask) => ask().then(die)],
};

describe('a gate that is killed', {concurrency: 4}, () => {
  let chain: LocalChain;
  let facilitator: Listening;
  before(async () => {
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
  });
  after(async () => {
    await facilitator.stop();
    await chain.stop();
  });

  for (const isSeeing of [true, false])
    for (const [moment, [step, onRequest]] of Object.entries(moments).slice(isSeeing ? 0 : -1))
      test(`${moment}, ${isSeeing ? 'with' : 'without'} a node of the chain`, async () => {
        await using shop = await openShop({facilitator, rpcUrl: isSeeing ? chain.rpcUrl : undefined});
        const gate = await shop.start();
        const die = async () => {
          await kill(gate);
          await shop.start(gate);
        };
        let isFirst = true;
        shop.between = async (asked, ask) => {
          if (asked !== step || !isFirst) return ask();
          isFirst = false;
          await onRequest(die, ask);
          return new Response('', {status: 502});
        };
        const buyer = await newBuyer(chain);
        const url = (await gate.url) + path;
        if (isSeeing) {
          await assertSoldOnce(shop, chain, buyer, await buy(url, buyer));
          return;
        }
        // Without a node, a settlement stays open after a lost response until its authorization expires. The buyer is
        // never charged twice.
        const bought = await buy(url, buyer, undefined, AbortSignal.timeout(8_000)).catch(() => undefined);
        if (bought) await assertSoldOnce(shop, chain, buyer, bought, false);
        else {
          assert.equal((await transfersOf(chain, buyer)).length, 1);
          assert.deepEqual(
            (await shop.sales(buyer)).map(({state}) => state),
            ['pending'],
          );
        }
      });

  test('with half of the document sent', async () => {
    await using shop = await openShop({facilitator, rpcUrl: chain.rpcUrl, length: LONG});
    const gate = await shop.start();
    const buyer = await newBuyer(chain);
    let isFirst = true;
    const bought = await buy((await gate.url) + path, buyer, async () => {
      if (!isFirst) return;
      isFirst = false;
      await kill(gate);
      await shop.start(gate);
    });
    await assertSoldOnce(shop, chain, buyer, bought);
  });
});
