import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import type {Entries} from '../../paywall/ledger/ledger.ts';
import type {Sale} from '../../paywall/ledger/sale.ts';
import {decide} from '../../paywall/payments/sales/decide.ts';
import type {Payment} from '../../paywall/payments/protocol/payment.ts';
import {newSale} from '../ledger/new-sale.ts';

const URL = 'https://snapshots.example/api/v1/a';
const offer = {url: URL, snapshot: {sha256: 'ab', as_of: '2026-05-01'}};
const signed = {signature: '0x5a', authorization: {nonce: '0x1'}};
const payment = (id: string | null) => ({id, payload: signed}) as unknown as Payment; // the rest has no influence
const USED = {kind: 'refused', reason: 'invalid_exact_evm_nonce_already_used'} as const;

/** A sale that was started with the payment above. */
function saleOf(changes: Partial<Sale>): Sale {
  return {
    ...newSale({url: URL, sha256: 'ab', payload: JSON.stringify({payload: signed})}),
    ...{state: 'pending', reason: null, transaction: null, startedAt: 1, settledAt: null, deliveredAt: null},
    ...{finalAt: null, refund: null, refundedAt: null, leasedUntil: 0, readAt: 1_000, ...changes},
  };
}

/** An entry of the ledger with a sale. A payment that collected a document got the one that is for sale. */
function foundAs(name: string, sale: Sale): unknown {
  return name === 'failed' ? [sale] : name === 'collected' ? {sale, sha256: 'ab', paymentId: 'new'} : sale;
}

type Entry = Partial<Record<keyof Entries | 'pass', Partial<Sale>>>;
type Found = Entries & {readonly pass: Sale | undefined};
const none = {kind: 'none'} as const;
const conflict = {kind: 'conflict'} as const;
const delivered = {paymentId: 'id', state: 'delivered', settledAt: 1, deliveredAt: 2} as const;
const collected = ({same}: Found) => ({kind: 'collect', sale: same, isSame: true}) as const;

const settled = {...delivered, state: 'settled', deliveredAt: null} as const;
const collectedAgain =
  (kind: string) =>
  ({collected}: Found) => ({kind, sale: collected?.sale, isSame: false});

const cases: readonly [
  what: string,
  entries: Entry,
  sent: {readonly id?: string; readonly isLate?: true},
  expected: object | ((found: Found) => object),
][] = [
  ['nothing in the ledger', {}, {}, none],
  ['another sale with its key', {sameIdentifier: {}}, {}, conflict],
  ['another sale with its key, and its own', {sameIdentifier: {}, same: delivered}, {id: 'id'}, conflict],
  ['its own pending sale', {same: {paymentId: 'id'}}, {id: 'id'}, collected],
  ['its own pending sale, late', {same: {paymentId: 'id'}}, {id: 'id', isLate: true}, collected],
  ['its own settled sale', {same: {...delivered, state: 'settled'}}, {id: 'id', isLate: true}, collected],
  [
    'its own delivered sale',
    {same: delivered, open: {}, pass: {}, failed: {}},
    {id: 'id'},
    ({same}) => ({kind: 'owned', sale: same, isSame: true}),
  ],
  [
    'its own sale of an earlier document',
    {same: {...delivered, sha256: 'cd'}},
    {id: 'id'},
    {kind: 'refused', reason: 'document_changed'},
  ],
  ['its own refunded sale', {same: {...delivered, refund: '0x1'}}, {id: 'id'}, USED],
  ['its own expired sale', {same: {...delivered, state: 'expired'}}, {id: 'id'}, USED],
  ['its own declined sale', {same: {paymentId: 'id', state: 'declined', reason: 'poor'}}, {id: 'id'}, USED],
  [
    'a sale of it with its key for another document',
    {same: {...delivered, url: 'https://b.example/'}},
    {id: 'id'},
    conflict,
  ],
  ['a sale of it with another signature', {same: {paymentId: 'id', payload: '{"payload":{}}'}}, {id: 'id'}, conflict],
  [
    'a late copy with another signature',
    {same: {paymentId: 'id', payload: '{"payload":{}}'}},
    {id: 'id', isLate: true},
    none,
  ],
  ['a pending sale of it with another key', {same: {paymentId: 'other'}}, {id: 'id'}, {kind: 'in flight'}],
  ['a pending sale of it without a key', {same: {}}, {id: 'id'}, {kind: 'in flight'}],
  ['a pending sale of it, both without a key', {same: {}}, {}, {kind: 'in flight'}],
  ['a pending sale of it with a key', {same: {paymentId: 'id'}}, {}, {kind: 'in flight'}],
  ['a delivered sale of it without a key', {same: {...delivered, paymentId: null}}, {}, USED],
  ['a declined sale of it', {same: {state: 'declined', reason: 'poor'}}, {}, {kind: 'refused', reason: 'poor'}],
  ['a declined sale of it without a reason', {same: {state: 'declined'}}, {}, USED],
  ['an unpaid sale of it', {same: {state: 'unpaid', reason: 'never settled'}}, {}, USED],
  [
    'a settled sale, a pass and a failed sale',
    {open: {state: 'settled'}, pass: {}, failed: {}},
    {},
    ({open}) => ({kind: 'collect', sale: open, isSame: false}),
  ],
  [
    'a pending sale, a pass and a failed sale',
    {open: {}, pass: {}, failed: {}},
    {},
    ({pass}) => ({kind: 'owned', sale: pass, isSame: false}),
  ],
  [
    'a pending sale and a failed sale',
    {open: {}, failed: {}},
    {},
    ({open}) => ({kind: 'collect', sale: open, isSame: false}),
  ],
  ['an open sale, late', {open: {}, pass: {}, failed: {}}, {isLate: true}, none],
  ['a pass and a failed sale', {pass: {}, failed: {}}, {}, ({pass}) => ({kind: 'owned', sale: pass, isSame: false})],
  ['a failed sale', {failed: {}}, {}, ({failed}) => ({kind: 'recheck', sales: failed})],
  [
    'the collection of a delivered sale',
    {collected: {...delivered, sha256: 'cd'}},
    {id: 'new'},
    collectedAgain('owned'),
  ],
  [
    'the collection of a delivered sale, late',
    {collected: delivered},
    {id: 'new', isLate: true},
    collectedAgain('owned'),
  ],
  [
    'the collection of a settled sale, late',
    {collected: settled},
    {id: 'new', isLate: true},
    collectedAgain('collect'),
  ],
  [
    'the collection of a settled sale, without a key',
    {open: settled, collected: settled},
    {},
    ({open}) => ({kind: 'collect', sale: open, isSame: false}),
  ],
  ['the collection of a sale, without a key', {collected: delivered}, {}, USED],
  ['the collection of a sale, with another key', {collected: delivered}, {id: 'another'}, USED],
  ['the collection of a pending sale, late', {collected: {}}, {id: 'new', isLate: true}, none],
  ['the collection of a sale, without a key, late', {collected: delivered}, {isLate: true}, none],
  ['the collection of a refunded sale', {collected: {...delivered, refund: '0x1'}}, {id: 'new'}, USED],
  ['the collection of a sale of yesterday', {collected: {...delivered, readAt: 25 * 3_600_000}}, {id: 'new'}, USED],
  [
    'the collection of a sale that the chain took back',
    {collected: {...delivered, state: 'unpaid'}, failed: {}},
    {id: 'new'},
    USED,
  ],
  ['the collection of another document', {collected: {...delivered, url: 'https://b.example/'}}, {id: 'new'}, USED],
  [
    'the collection of a pass',
    {collected: delivered, pass: delivered},
    {},
    ({pass}) => ({kind: 'owned', sale: pass, isSame: false}),
  ],
  ['a sale that failed a week ago', {failed: {readAt: 7 * 24 * 3_600_000 + 1}}, {}, none],
];

test('a payment does not get another document than it collected', () => {
  const collected = {sale: saleOf(delivered), sha256: 'cd', paymentId: 'new'};
  const entries = {same: undefined, open: undefined, failed: [], sameIdentifier: undefined, collected, pass: undefined};
  assert.deepEqual(decide(entries, payment('new'), true, offer), USED);
});

test('a payment without a key does not get the document again that it collected', () => {
  const collected = {sale: saleOf(delivered), sha256: 'ab', paymentId: null};
  const entries = {same: undefined, open: undefined, failed: [], sameIdentifier: undefined, collected, pass: undefined};
  assert.deepEqual(decide(entries, payment(null), true, offer), USED);
});

describe('a payment is decided by', () => {
  for (const [what, entries, {id = null, isLate = false}, expected] of cases)
    test(what, () => {
      const found = {
        ...{
          same: undefined,
          open: undefined,
          failed: [],
          sameIdentifier: undefined,
          collected: undefined,
          pass: undefined,
        },
        ...Object.fromEntries(Object.entries(entries).map(([name, changes]) => [name, foundAs(name, saleOf(changes))])),
      };
      const decision = decide(found, payment(id), !isLate, offer);
      assert.deepEqual(decision, typeof expected === 'function' ? expected(found) : expected);
    });
});
