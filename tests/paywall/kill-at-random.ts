import {randomInt} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Chain} from '../../scripts/local-chain/chain.ts';
import {assertSoldOnce, buy, kill, newBuyer, path, until, type Shop} from './shop.ts';

/** The number of purchases that are cut off, and how many of them one kill cuts off. */
export const MOMENTS = Number(process.env['MOMENTS'] ?? 5);
const AT_ONCE = 5;

/**
 * Kills the gates of a shop repeatedly during purchases. Asserts that each buyer has the document in the end, and has
 * paid once.
 */
export async function killAtRandom(shop: Shop, chain: Chain, purchaseMs: number, isSeeing = true): Promise<void> {
  let gate = await shop.start();
  const url = (await gate.url) + path;
  for (let moments = 0; moments < MOMENTS; moments += AT_ONCE) {
    const buyers = [];
    for (let n = 0; n < AT_ONCE; n++) buyers.push(await newBuyer(chain));
    const purchases = buyers.map(async buyer => {
      await sleep(randomInt(400));
      return {buyer, bought: await buy(url, buyer)};
    });
    await sleep(randomInt(purchaseMs));
    await kill(gate);
    gate = await shop.start(gate);
    for (const {buyer, bought} of await Promise.all(purchases)) {
      // If the gate is killed after the last byte and before it records that, the buyer can collect a document that it
      // already has.
      const isDelivered = async () => (await shop.sales(buyer)).some(({state}) => state === 'delivered') || undefined;
      const isWritten = await until(isDelivered, 1_000).catch(() => false);
      await assertSoldOnce(shop, chain, buyer, isWritten ? bought : await buy(url, buyer), isSeeing);
    }
  }
}
