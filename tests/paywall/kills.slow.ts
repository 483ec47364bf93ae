import {randomInt} from 'node:crypto';
import {after, before, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import type {PrivateKeyAccount} from 'viem/accounts';
import type {Chain} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {sharedChain} from '../shared-chain.ts';
import {
  assertSoldOnce,
  buy,
  kill,
  newBuyer,
  openShop,
  path,
  until,
  type Between,
  type Shop,
  type Step,
} from './shop.ts';

/** At how many random moments purchases are cut off, and at how many of them by one kill. */
const MOMENTS = Number(process.env['MOMENTS'] ?? 20);
const AT_ONCE = 5;
const LONG = 20_000_000;

/** What becomes of the first question of one kind where the gate is killed, which `die` does. */
type Fate = (die: () => Promise<void>, ask: () => Promise<Response>) => Promise<unknown>;

/** Every moment at which a facilitator can see the gate die. */
const moments: Readonly<Record<string, readonly [Step, Fate]>> = {
  'before it claims: its verification is asked': ['verify', die => die()],
  'before it claims: its verification is answered': ['verify', async (die, ask) => ask().then(die)],
  'claimed: its settlement is asked, and never heard': ['settle', die => die()],
  'claimed: its settlement is asked, and heard a moment later': ['settle', async (die, ask) => die().then(ask)],
  'claimed: its settlement is asked, and heard when others are': [
    'settle',
    async (die, ask) => {
      await die();
      await sleep(11_000);
      await ask();
    },
  ],
  'settled: the answer does not arrive': ['settle', async (die, ask) => ask().then(die)],
};

describe('a gate that is killed', {concurrency: 4}, () => {
  let chain: Chain;
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
    for (const [moment, [step, fate]] of Object.entries(moments))
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
          await fate(die, ask);
          return new Response('', {status: 502});
        };
        const buyer = await newBuyer(chain);
        const bought = await buy((await gate.url) + path, buyer);
        await assertSoldOnce(shop, chain, buyer, bought, isSeeing);
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

  for (const isSeeing of [true, false])
    test(
      `at ${MOMENTS} random moments of a purchase, ${isSeeing ? 'with' : 'without'} a node of the chain`,
      {timeout: 1_200_000},
      async () => {
        await using shop = await openShop({
          facilitator,
          rpcUrl: isSeeing ? chain.rpcUrl : undefined,
          length: LONG / 20,
        });
        shop.between = slowly;
        let gate = await shop.start();
        const url = (await gate.url) + path;
        for (let moments = 0; moments < MOMENTS; moments += AT_ONCE) {
          const buyers = [];
          for (let n = 0; n < AT_ONCE; n++) buyers.push(await newBuyer(chain));
          const purchases = buyers.map(async buyer => {
            await sleep(randomInt(400));
            return {buyer, bought: await buy(url, buyer)};
          });
          await sleep(randomInt(1_000));
          await kill(gate);
          gate = await shop.start(gate);
          for (const {buyer, bought} of await Promise.all(purchases)) {
            // Killed when the last byte was sent and that not written yet: the books owe what the buyer has.
            const isWritten = await until(() => isDelivered(shop, buyer), 1_000).catch(() => false);
            await assertSoldOnce(shop, chain, buyer, isWritten ? bought : await buy(url, buyer), isSeeing);
          }
        }
      },
    );
});

async function isDelivered(shop: Shop, buyer: PrivateKeyAccount): Promise<true | undefined> {
  return (await shop.sales(buyer)).some(({state}) => state === 'delivered') || undefined;
}

/** As a facilitator far away, so that no step is too short to be killed in. */
const slowly: Between = async (_, ask) => {
  await sleep(randomInt(100));
  const answer = await ask();
  await sleep(randomInt(100));
  return answer;
};
