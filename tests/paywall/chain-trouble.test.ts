import assert from 'node:assert/strict';
import {test} from 'node:test';
import {chainAt} from '../../paywall/payments/chain/chain.ts';
import {newSale} from '../ledger/new-sale.ts';

test('a node that is away is told of without the key in its address', async () => {
  const told: string[] = [];
  const chain = chainAt('http://127.0.0.1:4/v2/SECRET', trouble => told.push(trouble));
  assert.deepEqual(await chain.find(newSale(), 0), {kind: 'no answer'});
  assert.equal(told.length, 1);
  assert.match(told[0] ?? '', /^The node 127\.0\.0\.1:4 does not answer what became of a payment: .*ECONNREFUSED/);
  assert.ok(!told[0]?.includes('SECRET'));
});
