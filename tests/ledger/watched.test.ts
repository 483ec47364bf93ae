import assert from 'node:assert/strict';
import {test} from 'node:test';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {reported} from '../../paywall/ledger/reported.ts';
import {newSale} from './new-sale.ts';

test('a ledger that can be read and not be written is told of once, until it is written again', async () => {
  const books = await openSqlite(':memory:');
  const claim = books.start.bind(books);
  let isFull = true;
  books.start = (...asked) => (isFull ? Promise.reject(new Error('the disk is full')) : claim(...asked));
  const told: unknown[] = [];
  const ledger = reported(books, error => told.push(error));
  const buy = async () => {
    const sale = newSale();
    await ledger.find(sale.key, sale);
    return ledger.start(sale, 'me');
  };
  for (let buyers = 0; buyers < 3; buyers++) await assert.rejects(buy());
  assert.equal(told.length, 1);
  isFull = false;
  assert.equal(await buy(), true);
  isFull = true;
  await assert.rejects(buy());
  assert.equal(told.length, 2);
  await books.close();
});
