import assert from 'node:assert/strict';
import {test} from 'node:test';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {reported} from '../../paywall/ledger/reported.ts';
import {newSale} from './new-sale.ts';

test('a ledger that cannot be written is reported once until it can be written again', async () => {
  const inner = await openSqlite(':memory:');
  const start = inner.start.bind(inner);
  let isFull = true;
  inner.start = (...args) => (isFull ? Promise.reject(new Error('the disk is full')) : start(...args));
  const reports: unknown[] = [];
  const ledger = reported(inner, error => reports.push(error));
  const buy = async () => {
    const sale = newSale();
    await ledger.find(sale.key, sale);
    return ledger.start(sale, 'me');
  };
  for (let buyers = 0; buyers < 3; buyers++) await assert.rejects(buy());
  assert.equal(reports.length, 1);
  isFull = false;
  assert.equal(await buy(), true);
  isFull = true;
  await assert.rejects(buy());
  assert.equal(reports.length, 2);
  await inner.close();
});
