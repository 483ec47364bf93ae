import {after, before, describe, test} from 'node:test';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {sharedChain} from '../shared-chain.ts';
import {assertSoldOnce, buy, kill, newBuyer, openShop, path, type Step} from './shop.ts';

/** Handles the first request of one kind. `die` kills the gate. */
type OnRequest = (die: () => Promise<void>, ask: () => Promise<Response>) => Promise<unknown>;

/** The simulator kills gates at all other times, and without a node. `watchers.slow.ts` kills one during a download. */
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

  for (const [moment, [step, onRequest]] of Object.entries(moments))
    test(`${moment}, sells the document once`, async () => {
      await using shop = await openShop({facilitator, rpcUrl: chain.rpcUrl});
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
      await assertSoldOnce(shop, chain, buyer, await buy((await gate.url) + path, buyer));
    });
});
