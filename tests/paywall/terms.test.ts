import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Offer} from '../../paywall/payments/protocol/offer.ts';
import type {Payment} from '../../paywall/payments/protocol/payment.ts';
import {isSamePayment, receiptOf, saleOf} from '../../paywall/payments/sales/terms.ts';
import type {PaymentServices} from '../../paywall/payments/services.ts';
import {newSale} from '../ledger/new-sale.ts';

const requirements = {network: 'eip155:84532', asset: '0xC', payTo: '0xD', amount: '20000'};
const payload = {signature: '0x5A', authorization: {from: '0xAB', nonce: '0xEF', validBefore: '1780000000'}};
const payment = {key: 'a key', id: 'id', payload, requirements} as unknown as Payment; // other members are not read
const services = {facilitator: {host: 'x402.org'}} as unknown as PaymentServices;

/** Returns the sale of an offer with these members in its rule. */
const saleWith = (rule: object, isProven = true) =>
  saleOf(
    payment,
    {
      ...{rule: {name: 'a', price: '$0.02', ...rule}, url: 'https://snapshots.example/a', redownloadDays: 30},
      snapshot: {sha256: 'ab', as_of: '2026-05-01'},
    } as unknown as Offer,
    services,
    isProven,
  );

test('a sale records all terms', () => {
  assert.deepEqual(saleWith({}), {
    ...{key: 'a key', network: 'eip155:84532', asset: '0xC', payer: '0xab', payTo: '0xD', amount: '20000'},
    ...{nonce: '0xef', validBefore: 1_780_000_000, payload: JSON.stringify({payload, requirements}), paymentId: 'id'},
    ...{product: 'a', url: 'https://snapshots.example/a', sha256: 'ab', asOf: '2026-05-01', price: '$0.02'},
    ...{laterSnapshots: 0, members: [], redownloadDays: 30, facilitator: 'x402.org', isProven: true},
  });
  assert.equal(saleWith({}, false).isProven, false);
});

test('the sale of a pass records how many later snapshots of which products it includes', () => {
  const {laterSnapshots, members} = saleWith({pass: {next: 8}, snapshots: {b: [], c: []}});
  assert.deepEqual([laterSnapshots, members], [8, ['b', 'c']]);
});

for (const [what, sale, sent, isSame] of [
  ['with its key', {}, {}, true],
  ['without a key', {paymentId: null}, {id: null}, false],
  ['with another key', {}, {id: 'other'}, false],
  ['for another document', {url: 'https://snapshots.example/b'}, {}, false],
  ['with another signature', {}, {payload: {...payload, signature: '0x5B'}}, false],
] as const)
  test(`a payment ${what} is ${isSame ? '' : 'not '}that of a sale`, () => {
    const recorded = {...saleWith({}), ...sale};
    const again = {...payment, ...sent} as unknown as Payment;
    assert.equal(isSamePayment(recorded, again, 'https://snapshots.example/a'), isSame);
  });

test('the receipt of a sale in the ledger is that of its settlement', () => {
  const {network, payer, amount, ...sale} = newSale();
  const receipt = {success: true, transaction: '0x1', network, payer, amount};
  assert.deepEqual(receiptOf({network, payer, amount, ...sale}, '0x1'), receipt);
});
