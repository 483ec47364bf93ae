import assert from 'node:assert/strict';
import {test} from 'node:test';
import {parseGwei} from 'viem';
import {startChain} from '../../scripts/local-chain/chain.ts';
import {assertSoldOnce, buy, newBuyer, path} from '../paywall/shop.ts';
import {nodeFront} from './node-front.ts';
import {openSettlerShop} from './settler-shop.ts';

test('a gate that settles by itself replaces a transaction of the publisher whose fees became too low, because the sale waits for it', async () => {
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
