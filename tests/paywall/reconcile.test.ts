import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import type {Ledger, Page} from '../../paywall/ledger/ledger.ts';
import type {Move, Sale} from '../../paywall/ledger/sale.ts';
import {reconcile, type ReconcileOptions} from '../../paywall/payments/sales/reconcile.ts';
import type {PaymentServices} from '../../paywall/payments/services.ts';
import {MOST_AUTHORIZATIONS, type AuthorizationStatus} from '../../shared/evm/authorization-status.ts';
import {newSale} from '../ledger/new-sale.ts';

const STARTED = 1_780_000_000_000;
const [MINUTE, HOUR] = [60_000, 3_600_000];
const VALID_BEFORE = STARTED / 1000 + 300;
const EXPIRED = VALID_BEFORE * 1000;
const A_DAY_LATER = EXPIRED + 24 * HOUR;

/** A sale that started ten minutes before it was read. */
function saleOf(changes: Partial<Sale> = {}): Sale {
  return {
    ...newSale({validBefore: VALID_BEFORE}),
    ...{state: 'pending', reason: null, transaction: null, startedAt: STARTED, settledAt: null, deliveredAt: null},
    ...{finalAt: null, refund: null, refundedAt: null, leasedUntil: 0, readAt: STARTED + 10 * MINUTE},
    ...changes,
  };
}

interface World extends ReconcileOptions {
  /** The time of the gate. By default that of the ledger. */
  readonly now?: number;
  /** Undefined without a node. */
  readonly chain?: PaymentServices['chain'];
  readonly isLeased?: boolean;
  readonly isUnobserved?: boolean;
}

/** Reconciles a ledger with these sales, and returns its calls. */
async function reconciled(
  sales: readonly Sale[],
  {now = STARTED + 10 * MINUTE, chain, isLeased, isUnobserved, ...options}: World,
) {
  const [pages, leases, moves, final, sold]: [Page[], unknown[], Move[], string[], string[]] = [[], [], [], [], []];
  const ledger = {
    list(page: Page) {
      pages.push(page);
      const {states = [], after, limit} = page;
      const from = after ? sales.findIndex(({key}) => key === after.key) + 1 : 0;
      const matching = sales.slice(from).filter(({state}) => states.includes(state));
      return Promise.resolve(matching.slice(0, limit));
    },
    lease(key: string, _: string, states: unknown) {
      leases.push([key, states]);
      return Promise.resolve(isLeased ? undefined : sales.find(sale => sale.key === key));
    },
    move: (_key: string, _holder: string, move: Move) => Promise.resolve(moves.push(move) > 0),
    markFinal: (key: string) => Promise.resolve(void final.push(key)),
  } as unknown as Ledger; // other methods are not called
  const services = {
    ...{ledger, chain, clock: () => now},
    observer: isUnobserved ? undefined : {sold: ({key}: Sale) => sold.push(key)},
  } as unknown as PaymentServices; // other members are not used
  await reconcile(services, options);
  return {pages, leases, moves, final, sold};
}

function chainOf(status?: AuthorizationStatus) {
  const asked: {readonly keys: readonly string[]; readonly since: number}[] = [];
  const chain = {
    findAll(sales: readonly Sale[], since: number) {
      asked.push({keys: sales.map(({key}) => key), since});
      return Promise.resolve(sales.map(() => status));
    },
  };
  return {asked, chain: chain as unknown as PaymentServices['chain']};
}

const paid = {kind: 'paid', transaction: '0x1', isFinal: false} as const;
const elsewhere = {kind: 'used elsewhere', isFinal: false} as const;
const unused = (at: number) => ({kind: 'unused', at}) as const;
const settled = {state: 'settled', settledAt: STARTED, transaction: '0x1'} as const;
const pendingAgain = {state: 'pending', transaction: '0x1'} as const;
const delivered = {...settled, state: 'delivered', deliveredAt: STARTED + 1} as const;
const sent = {...settled, deliveredAt: STARTED + 1} as const;
const DAY = {readAt: STARTED + 24 * HOUR};
const LATER = {readAt: STARTED + 24 * HOUR + 1};
const TAKEN_BACK = {to: 'unpaid', reason: 'taken back by the chain'} as const;
const UNPAID = {to: 'unpaid', reason: 'never settled'} as const;
const USED = {to: 'unpaid', reason: 'invalid_exact_evm_nonce_already_used'} as const;
const NOTHING = undefined;

const cases: readonly [
  what: string,
  sale: Partial<Sale>,
  status: AuthorizationStatus | undefined,
  move: Move | 'final' | undefined,
][] = [
  ['a paid sale is settled', {}, paid, {to: 'settled', transaction: '0x1'}],
  ['a declined sale that is paid is settled', {state: 'declined'}, paid, {to: 'settled', transaction: '0x1'}],
  ['a settled sale does not change', settled, paid, NOTHING],
  ['a settled sale does not change for a day', {...settled, ...DAY}, paid, NOTHING],
  ['a settled sale gets the transaction', {...settled, transaction: ''}, paid, {to: 'settled', transaction: '0x1'}],
  ['a delivered sale does not change', delivered, paid, NOTHING],
  [
    'a delivered sale gets the transaction that paid',
    {...delivered, transaction: '0x5'},
    paid,
    {to: 'delivered', transaction: '0x1'},
  ],
  ['an unpaid sale that is paid', {...delivered, state: 'unpaid'}, paid, {to: 'delivered', transaction: '0x1'}],
  [
    'an unpaid sale that is paid, soon after it was delivered',
    {...delivered, state: 'unpaid', readAt: STARTED + 2 * MINUTE},
    paid,
    {to: 'delivered', transaction: '0x1'},
  ],
  ['a sale not collected for a day', {...settled, ...LATER}, paid, {to: 'expired', transaction: '0x1'}],
  ['a final payment', settled, {...paid, isFinal: true}, 'final'],
  ['a final payment of a pending sale', {}, {...paid, isFinal: true}, {to: 'settled', transaction: '0x1'}],
  ['a cancelled authorization', {}, elsewhere, USED],
  ['a cancelled authorization of a settled sale', settled, elsewhere, TAKEN_BACK],
  ['a cancelled authorization of a declined sale', {state: 'declined'}, elsewhere, NOTHING],
  ['a cancelled authorization of an unpaid sale', {state: 'unpaid'}, elsewhere, NOTHING],
  ['a final cancellation', {state: 'unpaid'}, {...elsewhere, isFinal: true}, 'final'],
  ['an unused authorization', {}, unused(EXPIRED - 1), NOTHING],
  ['an unused authorization after its expiry', {}, unused(EXPIRED), UNPAID],
  ['an unused authorization of an indeterminate sale', {state: 'indeterminate'}, unused(EXPIRED), UNPAID],
  ['a settlement that the node does not know yet', settled, unused(STARTED), NOTHING],
  ['a settlement that the chain took back', settled, unused(STARTED + 1), {to: 'pending'}],
  ['one that the chain took back until its expiry', settled, unused(EXPIRED), TAKEN_BACK],
  ['a refunded one that the chain took back', {...settled, refund: '0x2'}, unused(STARTED + 1), TAKEN_BACK],
  ['a sale that is pending again', pendingAgain, unused(STARTED + 1), NOTHING],
  ['a sale that was pending again until its expiry', pendingAgain, unused(EXPIRED), TAKEN_BACK],
  ['a sale that is pending again and cancelled', pendingAgain, elsewhere, TAKEN_BACK],
  ['a sale that is pending again and is paid', pendingAgain, paid, {to: 'settled', transaction: '0x1'}],
  ['a document that arrived, whose charge the chain took back', sent, unused(STARTED + 1), TAKEN_BACK],
  ['a delivery that the chain took back', delivered, unused(STARTED + 1), TAKEN_BACK],
  ['an unused authorization of a declined sale', {state: 'declined'}, unused(EXPIRED), NOTHING],
  ['one that is over for a day', {state: 'declined'}, unused(A_DAY_LATER), 'final'],
  ['one that is over for less', {state: 'unpaid'}, unused(A_DAY_LATER - 1), NOTHING],
  ['a settled sale that arrived', {...sent, readAt: STARTED + 6 * MINUTE}, undefined, {to: 'delivered'}],
  ['a settled sale that was sent', {...sent, readAt: STARTED + 1 + 5 * MINUTE}, undefined, NOTHING],
  ['a paid sale that arrived', {...sent, readAt: STARTED + 6 * MINUTE}, paid, {to: 'delivered', transaction: '0x1'}],
  ['a paid sale that was sent', {...sent, readAt: STARTED + 1 + 5 * MINUTE}, paid, NOTHING],
  ['a settled sale without a node', {...settled, ...LATER}, undefined, {to: 'expired'}],
  ['a settled sale without a node in its day', {...settled, ...DAY}, undefined, NOTHING],
  ['an indeterminate sale without a node', {state: 'indeterminate', ...LATER}, undefined, NOTHING],
  ['no answer about a settled sale', {...settled, ...LATER}, {kind: 'no answer'}, {to: 'expired'}],
  ['no answer about a delivered sale', {...delivered, ...LATER}, {kind: 'no answer'}, NOTHING],
  ['no answer about an unpaid sale', {...delivered, state: 'unpaid', ...LATER}, {kind: 'no answer'}, NOTHING],
  ['no answer about a pending sale', {}, {kind: 'no answer'}, NOTHING],
];

describe('reconciliation with the chain', () => {
  for (const [what, changes, status, expected] of cases)
    test(`${what}: ${expected === undefined ? 'nothing' : JSON.stringify(expected)}`, async () => {
      const sale = saleOf(changes);
      const {moves, final, leases} = await reconciled([sale], {chain: chainOf(status).chain});
      assert.deepEqual(moves, typeof expected === 'object' ? [expected] : []);
      assert.deepEqual(final, expected === 'final' ? [sale.key] : []);
      assert.deepEqual(leases, typeof expected === 'object' ? [[sale.key, [sale.state]]] : []);
    });

  for (const [now, expected] of [
    [A_DAY_LATER - 1, []],
    [A_DAY_LATER, [{to: 'indeterminate'}]],
  ] as const)
    test(`gives up a pending sale a day after its expiry: ${now - A_DAY_LATER} ms`, async () => {
      const sales = [saleOf(), saleOf({state: 'indeterminate'})];
      const {moves, leases} = await reconciled(sales, {now});
      assert.deepEqual(moves, expected);
      assert.deepEqual(leases, expected.length > 0 ? [[sales[0]?.key, ['pending']]] : []);
    });

  test('includes only sales that are older than a minute and that no process works on', async () => {
    const readAt = STARTED + 10 * MINUTE;
    const settledAt = (ms: number) => saleOf({...settled, settledAt: readAt - ms});
    const leasedUntil = (ms: number) => saleOf({leasedUntil: readAt + ms});
    const old = [settledAt(MINUTE + 1), leasedUntil(-1), saleOf({startedAt: readAt - MINUTE - 1})];
    const young = [settledAt(MINUTE), leasedUntil(0), leasedUntil(1), saleOf({startedAt: readAt - MINUTE})];
    const {asked, chain} = chainOf();
    await reconciled([...young, ...old], {chain});
    const [first] = asked;
    assert.deepEqual(first, {keys: old.map(({key}) => key), since: STARTED});
    const other = chainOf();
    await reconciled([...young, ...old], {chain: other.chain, lagMs: 0});
    assert.equal(other.asked[0]?.keys.length, 5);
  });

  test('reads sales with an open outcome, and with a node those that are not final', async () => {
    const unresolved = {states: ['pending', 'settled', 'indeterminate'], limit: MOST_AUTHORIZATIONS};
    const notFinal = {
      states: ['delivered', 'expired', 'unpaid', 'declined'],
      notFinal: true,
      limit: MOST_AUTHORIZATIONS,
    };
    assert.deepEqual((await reconciled([], {})).pages, [unresolved]);
    assert.deepEqual((await reconciled([], {chain: chainOf().chain})).pages, [unresolved, notFinal]);
  });

  test('reads page after page', async () => {
    const sales = Array.from({length: MOST_AUTHORIZATIONS + 1}, () => saleOf());
    const {pages, moves} = await reconciled(sales, {chain: chainOf(paid).chain});
    assert.equal(moves.length, sales.length);
    const ofOpen = pages.filter(({states}) => states?.includes('pending'));
    assert.deepEqual(
      ofOpen.map(({after}) => after?.key),
      [undefined, sales.at(-2)?.key],
    );
  });

  test('does not change a sale that another process leased meanwhile', async () => {
    const {moves, sold} = await reconciled([saleOf()], {chain: chainOf(paid).chain, isLeased: true});
    assert.deepEqual([moves, sold], [[], []]);
  });

  test('counts a sale as sold once it is paid', async () => {
    const [open, known] = [saleOf(), saleOf({...settled, transaction: ''})];
    const {sold} = await reconciled([open, known, saleOf(pendingAgain)], {chain: chainOf(paid).chain});
    assert.deepEqual(sold, [open.key]);
    assert.deepEqual((await reconciled([saleOf()], {chain: chainOf(elsewhere).chain})).sold, []);
    const {moves} = await reconciled([saleOf()], {chain: chainOf(paid).chain, isUnobserved: true});
    assert.equal(moves.length, 1);
  });

  test('stops between two sales', async () => {
    const stop = new AbortController();
    const {asked, chain} = chainOf(paid);
    stop.abort();
    const {moves} = await reconciled([saleOf()], {chain, signal: stop.signal});
    assert.deepEqual([moves, asked], [[], []]);
    const later = new AbortController();
    const stopping = {
      findAll(sales: readonly Sale[]) {
        later.abort();
        return Promise.resolve(sales.map(() => paid));
      },
    } as unknown as PaymentServices['chain'];
    assert.deepEqual((await reconciled([saleOf()], {chain: stopping, signal: later.signal})).moves, []);
  });
});
