import assert from 'node:assert/strict';
import type {SqlLedger} from '../../paywall/ledger/sql-ledger.ts';
import {newSale} from './new-sale.ts';

/** Asserts that an empty ledger can be probed repeatedly, and counts the sales in some states. */
export async function counts(ledger: SqlLedger): Promise<void> {
  await Promise.all([ledger.probe(), ledger.probe()]);
  const [settled, delivered, ...others] = [newSale(), newSale(), newSale(), newSale()];
  for (const sale of [settled, delivered, ...others]) await ledger.start(sale, 'me');
  for (const sale of [settled, delivered]) await ledger.move(sale.key, 'me', {to: 'settled', transaction: ''}, true);
  await ledger.move(delivered.key, 'me', {to: 'delivered'});
  const counted = [['settled'], ['pending', 'settled'], ['settled', 'delivered'], ['declined']] as const;
  assert.deepEqual(await Promise.all(counted.map(states => ledger.count(states))), [1, 3, 2, 0]);
}
