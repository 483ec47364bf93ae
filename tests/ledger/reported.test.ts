import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
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

for (const [name, isRead] of [
  ...['find', 'time', 'list', 'bought', 'passes', 'archivedParts', 'archivedPart', 'reservations'].map(
    name => [name, true] as const,
  ),
  ['contractRefusal', true],
  ['isArchived', true],
  ...[
    'start',
    'withdraw',
    'lease',
    'renew',
    'move',
    'refund',
    'signIn',
    'recordCollection',
    'archive',
    'prune',
    'reserveNonce',
  ].map(name => [name, false] as const),
] as const)
  test(`${name} ${isRead ? 'does not show' : 'shows'} that a ledger can be written again`, async () => {
    let isFull = true;
    const answer = (value: unknown) =>
      isFull ? Promise.reject(new Error('the disk is full')) : Promise.resolve(value);
    const methods = {[name]: answer, markFinal: answer};
    const reports: unknown[] = [];
    const ledger = reported(methods as unknown as Ledger, error => reports.push(error));
    await assert.rejects(ledger.markFinal('a sale'), /the disk is full/);
    isFull = false;
    const result: unknown = await (ledger as unknown as typeof methods)[name]?.('an answer');
    assert.equal(result, 'an answer');
    isFull = true;
    await assert.rejects(ledger.markFinal('a sale'));
    assert.equal(reports.length, isRead ? 1 : 2);
  });
