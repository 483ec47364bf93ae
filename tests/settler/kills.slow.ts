import {randomInt} from 'node:crypto';
import {after, before, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {startChain, type Chain} from '../../scripts/local-chain/chain.ts';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {assertSoldOnce, buy, kill, newBuyer, path, until} from '../paywall/shop.ts';
import {killAtRandom, MOMENTS} from '../paywall/kill-at-random.ts';
import {nodeFront, type OnItsWay} from './node-front.ts';
import {openSettlerShop} from './settler-shop.ts';

const SEND = 'eth_sendRawTransaction';
const RECEIPT = 'eth_getTransactionReceipt';
const ESTIMATE = 'eth_estimateGas';

/** What the node is asked first when the gate is killed, and whether it still hears it. */
const moments: Readonly<Record<string, readonly [method: string, isHeard: boolean]>> = {
  'before a number is reserved': [ESTIMATE, false],
  'with a transaction signed, and not sent': [SEND, false],
  'with a transaction sent': [SEND, true],
  'with a transaction mined': [RECEIPT, true],
};

describe('a gate that settles by itself and is killed', {concurrency: 2}, () => {
  let chain: Chain;
  before(async () => {
    chain = await startChain();
  });
  after(() => chain.stop());

  for (const [moment, [method, isHeard]] of Object.entries(moments))
    test(moment, async () => {
      await using front = await nodeFront(chain);
      await using shop = await openSettlerShop(chain, {rpcUrl: front.url});
      const gate = await shop.start();
      let isFirst = true;
      front.onItsWay = async (asked, ask) => {
        if (asked !== method || !isFirst) return ask();
        isFirst = false;
        if (isHeard) await ask();
        await kill(gate);
        await shop.start(gate);
        return new Response('', {status: 502});
      };
      const buyer = await newBuyer(chain);
      await assertSoldOnce(shop, chain, buyer, await buy((await gate.url) + path, buyer));
    });

  test('with a number reserved that nobody ever uses: it is filled, and nothing hangs behind it', async () => {
    await using shop = await openSettlerShop(chain);
    const signer = {network: 'eip155:84532', address: shop.settler.address.toLowerCase()};
    const ledger = await openLedger(shop.root);
    for (let n = 0; n < 3; n++) await ledger.reserveNonce(signer, `a sale that ended ${n}`, 0);
    await ledger.close();
    const gate = await shop.start();
    const buyer = await newBuyer(chain);
    await assertSoldOnce(shop, chain, buyer, await buy((await gate.url) + path, buyer));
  });

  test('whose buyer never comes back: what was signed is sent, and owed', async () => {
    await using front = await nodeFront(chain);
    await using shop = await openSettlerShop(chain, {rpcUrl: front.url});
    const gate = await shop.start();
    let die: Promise<void> | undefined;
    front.onItsWay = async (asked, ask) => {
      if (asked !== SEND || die) return ask();
      die = kill(gate);
      await die;
      return new Response('', {status: 502});
    };
    const buyer = await newBuyer(chain);
    const leaving = new AbortController();
    const buying = buy((await gate.url) + path, buyer, undefined, leaving.signal).catch(() => undefined);
    await until(() => die?.then(() => true));
    leaving.abort();
    await buying;
    await shop.start(gate);
    const {address} = shop.settler;
    await until(async () => ((await chain.client.getTransactionCount({address})) > 0 ? true : undefined), 60_000);
    await assertSoldOnce(shop, chain, buyer, await buy((await gate.url) + path, buyer));
  });

  test(`at ${MOMENTS} random moments of a purchase`, {timeout: 1_200_000}, async () => {
    await using front = await nodeFront(chain);
    await using shop = await openSettlerShop(chain, {rpcUrl: front.url});
    front.onItsWay = slowly;
    await killAtRandom(shop, chain, 1_500);
  });
});

/** As a node far away, so that no step is too short to be killed in. */
const slowly: OnItsWay = async (_, ask) => {
  await sleep(randomInt(50));
  const answer = await ask();
  await sleep(randomInt(50));
  return answer;
};
