import assert from 'node:assert/strict';
import type {SqlLedger} from '../../paywall/ledger/sql-ledger.ts';
import {newSale} from './new-sale.ts';

/** Asserts that an empty ledger can be probed repeatedly, and counts the sales in some states. */
export async function counts(ledger: SqlLedger): Promise<void> {
  await Promise.all([ledger.probe(), ledger.probe()]);
  const [settled, ...others] = [newSale(), newSale(), newSale()];
  for (const sale of [settled, ...others]) await ledger.start(sale, 'me');
  await ledger.move(settled.key, 'me', {to: 'settled', transaction: ''});
  assert.deepEqual(
    [await ledger.count(['settled']), await ledger.count(['pending', 'settled']), await ledger.count(['delivered'])],
    [1, 3, 0],
  );
}
