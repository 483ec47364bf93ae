import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Hex} from 'viem';
import {startChain} from '../../scripts/local-chain/chain.ts';
import {decoded, paymentFor} from '../paywall/hand-made.ts';
import {buy, newBuyer, path, transfersOf} from '../paywall/shop.ts';
import {openSettlerShop} from './settler-shop.ts';

const TOKEN_ITSELF = `0x${'70'.repeat(20)}` as const;
/**
 * Hashes a mebibyte, which costs two million units of gas, and then calls the token's code. A contract wallet could do
 * the same when it checks a signature.
 */
const BURNING: Hex = `0x6210000060002050365f5f375f5f365f73${'70'.repeat(20)}5af43d5f5f3e6031573d5ffd5b3d5ff3`;

test('a gate that settles by itself refuses, for no gas, a payment that would burn it', async () => {
  await using chain = await startChain();
  await using shop = await openSettlerShop(chain);
  const gate = await shop.start();
  const buyer = await newBuyer(chain);
  const url = (await gate.url) + path;
  const challenge = decoded(await fetch(url), 'PAYMENT-REQUIRED');
  const address = challenge.accepts[0]?.asset ?? '0x';
  const code = (await chain.client.getCode({address})) ?? '0x';
  const gas = await chain.client.getBalance(shop.settler);
  await chain.client.setCode({address: TOKEN_ITSELF, bytecode: code});
  await chain.client.setCode({address, bytecode: BURNING});
  const refused = await fetch(url, {headers: {'PAYMENT-SIGNATURE': await paymentFor(challenge, buyer)}});
  assert.equal(refused.status, 402);
  assert.equal(decoded(refused, 'PAYMENT-REQUIRED').error, 'transaction_needs_too_much_gas');
  assert.equal(await chain.client.getBalance(shop.settler), gas);
  assert.deepEqual(await transfersOf(chain, buyer), []);
  await chain.client.setCode({address, bytecode: code});
  const bought = await buy(url, buyer);
  assert.deepEqual(bought.statuses, [200]);
  assert.equal((await transfersOf(chain, buyer)).length, 1);
});
