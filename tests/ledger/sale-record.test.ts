import assert from 'node:assert/strict';
import {test} from 'node:test';
import {saleRecordSchema} from '../../paywall/ledger/sale-record.ts';
import {newSale} from './new-sale.ts';

const sale = {
  ...newSale(),
  ...{state: 'pending', reason: null, transaction: null, startedAt: 0, settledAt: null, deliveredAt: null},
  ...{finalAt: null, refund: null, refundedAt: null, leasedUntil: 0, readAt: 1},
};
const TIMES = {startedAt: 8_640_000_000_000_000, settledAt: 1, deliveredAt: 2, refundedAt: 3};

test('a report of a sale omits the signed payment', () => {
  const record = saleRecordSchema.parse(sale);
  for (const name of ['payload', 'paymentId', 'validBefore', 'isProven']) assert.ok(!(name in record), name);
  assert.equal(record.payer, sale.payer);
});

for (const changes of [
  {},
  TIMES,
  {state: 'expired', reason: 'late', transaction: '0x1', refund: '0x2'},
  {network: `eip155:${'9'.repeat(18)}`, payer: `0x${'aB'.repeat(20)}`},
  {amount: String(2n ** 256n - 1n)},
  {amount: '0'},
])
  test(`a report of a sale may have ${JSON.stringify(changes)}`, () => {
    assert.ok(saleRecordSchema.safeParse({...sale, ...changes}).success);
  });

for (const changes of [
  ...['eip155:', 'eip155:x', `eip155:${'9'.repeat(19)}`, 'a eip155:1', 'eip155:1 b'].map(network => ({network})),
  ...['0x12', `0x${'g'.repeat(40)}`, `0x${'a'.repeat(41)}`, `00x${'a'.repeat(40)}`].map(payer => ({payer})),
  ...['', '-1', '1.5', `1${'0'.repeat(78)}`, String(2n ** 256n), '1 ', ' 1'].map(amount => ({amount})),
  ...[-1, 1.5, 8_640_000_000_000_001, '1', null].map(startedAt => ({startedAt})),
  ...[{state: 'open'}, {url: 'a\u001b[31m'}, {reason: 'a\nb'}, {transaction: '\u0007'}, {refund: 1}, {settledAt: -1}],
])
  test(`a report of a sale may not have ${JSON.stringify(changes)}`, () => {
    assert.ok(!saleRecordSchema.safeParse({...sale, ...changes}).success);
  });
