import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {parseEther, parseGwei} from 'viem';
import {startChain, type LocalChain} from '../../scripts/local-chain/chain.ts';
import {assertSoldOnce, buy, newBuyer, path, transfersOf, until} from '../paywall/shop.ts';
import {nodeFront} from './node-front.ts';
import {openSettlerShop, type SettlerShop} from './settler-shop.ts';

/** Returns the transactions of the settler that are sent and not mined. */
async function pendingOf({client}: LocalChain, {settler: {address}}: SettlerShop): Promise<readonly `0x${string}`[]> {
  const {pending, queued} = await client.getTxpoolContent();
  const own = [pending, queued].flatMap(pool =>
    Object.entries(pool).filter(([from]) => from.toLowerCase() === address.toLowerCase()),
  );
  return own.flatMap(([, numbered]) => Object.values(numbered).map(({hash}) => hash));
}

describe('a gate that settles by itself', {concurrency: 2}, () => {
  test('sends a transaction again if the node dropped it', async () => {
    await using chain = await startChain();
    await using shop = await openSettlerShop(chain);
    const {url} = await shop.start();
    const buyer = await newBuyer(chain);
    await chain.client.setAutomine(false);
    const buying = buy((await url) + path, buyer);
    const [hash] = await until(async () => nonEmpty(await pendingOf(chain, shop)));
    await chain.client.dropTransaction({hash});
    await until(async () => nonEmpty(await pendingOf(chain, shop)), 30_000);
    await chain.client.setAutomine(true);
    await chain.client.mine({blocks: 1});
    await assertSoldOnce(shop, chain, buyer, await buying);
  });

  test('uses another nonce if the publisher used the reserved one', async () => {
    await using chain = await startChain();
    await using shop = await openSettlerShop(chain);
    const {url} = await shop.start();
    const buyer = await newBuyer(chain);
    await chain.client.setAutomine(false);
    const buying = buy((await url) + path, buyer);
    await until(async () => nonEmpty(await pendingOf(chain, shop)));
    const {address} = shop.settler;
    await chain.client.impersonateAccount({address});
    await chain.client.sendTransaction({
      account: address,
      to: buyer.address,
      value: 1n,
      nonce: 0,
      gas: 21_000n,
      maxFeePerGas: parseGwei('100'),
      maxPriorityFeePerGas: parseGwei('50'),
    });
    await chain.client.mine({blocks: 1});
    await chain.client.setAutomine(true);
    await assertSoldOnce(shop, chain, buyer, await buying);
    assert.equal(await chain.client.getTransactionCount({address}), 2);
  });

  test('replaces a transaction of the publisher whose fees became too low, because the sale waits for it', async () => {
    await using chain = await startChain();
    await using front = await nodeFront(chain);
    await using shop = await openSettlerShop(chain, {gas: '10', rpcUrl: front.url});
    const {url} = await shop.start();
    const buyer = await newBuyer(chain);
    const {address} = shop.settler;
    const low = await chain.client.getBlock();
    await chain.client.setAutomine(false);
    await chain.client.impersonateAccount({address});
    const fees = {maxFeePerGas: 2n * (low.baseFeePerGas ?? 0n), maxPriorityFeePerGas: 1n};
    const stuck = await chain.client.sendTransaction({
      ...{account: address, to: buyer.address, value: 1n, nonce: 0, gas: 21_000n, ...fees},
    });
    await chain.client.setNextBlockBaseFeePerGas({baseFeePerGas: parseGwei('1000')});
    await chain.client.mine({blocks: 1});
    await chain.client.setIntervalMining({interval: 2});
    // Geth counts such a transaction as pending. Anvil does not.
    front.onItsWay = async (method, ask, params) => {
      const answer = await ask();
      if (method !== 'eth_getTransactionCount' || params[1] !== 'pending') return answer;
      const {id, result} = (await answer.json()) as {id: number; result: string};
      return Response.json({jsonrpc: '2.0', id, result: result === '0x0' ? '0x1' : result});
    };
    await assertSoldOnce(shop, chain, buyer, await buy((await url) + path, buyer));
    assert.equal(await chain.client.getTransactionCount({address}), 2);
    await assert.rejects(chain.client.getTransactionReceipt({hash: stuck}));
  });

  test('sells and charges nothing without gas, reports it once, and continues when it has gas', async () => {
    await using chain = await startChain();
    await using shop = await openSettlerShop(chain, {gas: '0'});
    const gate = await shop.start();
    const buyer = await newBuyer(chain);
    let isRefilled = false;
    const buying = buy((await gate.url) + path, buyer).then(bought => {
      assert.ok(isRefilled);
      return bought;
    });
    await until(() => gate.written.err.includes('enough for about 0 settlements') || undefined);
    await sleep(2_000);
    assert.deepEqual([await shop.sales(), await transfersOf(chain, buyer)], [[], []]);
    isRefilled = true;
    await chain.client.setBalance({address: shop.settler.address, value: parseEther('1')});
    const bought = await buying;
    assert.deepEqual(new Set(bought.statuses.slice(0, -1)), new Set([503]));
    await assertSoldOnce(shop, chain, buyer, bought);
    assert.equal(gate.written.err.split('\n').filter(line => line.includes('for gas')).length, 1, gate.written.err);
  });
});

function nonEmpty(hashes: readonly `0x${string}`[]): readonly [`0x${string}`, ...`0x${string}`[]] | undefined {
  const [first, ...others] = hashes;
  return first && [first, ...others];
}
