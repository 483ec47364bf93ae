import {after, before, describe, test} from 'node:test';
import {startChain, type LocalChain} from '../../scripts/local-chain/chain.ts';
import {assertSoldOnce, buy, kill, newBuyer, path} from '../paywall/shop.ts';
import {nodeFront} from './node-front.ts';
import {openSettlerShop} from './settler-shop.ts';

const SEND = 'eth_sendRawTransaction';

/**
 * The request to the node during which the gate is killed, and whether the node receives it. The simulator kills gates
 * at all other times.
 */
const moments: Readonly<Record<string, readonly [method: string, isReceived: boolean]>> = {
  'with a transaction signed, and not sent': [SEND, false],
  'with a transaction sent': [SEND, true],
};

describe('a gate that settles by itself and is killed', {concurrency: 2}, () => {
  let chain: LocalChain;
  before(async () => {
    chain = await startChain();
  });
  after(() => chain.stop());

  for (const [moment, [method, isReceived]] of Object.entries(moments))
    test(moment, async () => {
      await using front = await nodeFront(chain);
      await using shop = await openSettlerShop(chain, {rpcUrl: front.url});
      const gate = await shop.start();
      let isFirst = true;
      front.onItsWay = async (asked, ask) => {
        if (asked !== method || !isFirst) return ask();
        isFirst = false;
        if (isReceived) await ask();
        await kill(gate);
        await shop.start(gate);
        return new Response('', {status: 502});
      };
      const buyer = await newBuyer(chain);
      await assertSoldOnce(shop, chain, buyer, await buy((await gate.url) + path, buyer));
    });
});
