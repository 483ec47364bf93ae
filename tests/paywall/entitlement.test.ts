import assert from 'node:assert/strict';
import {describe, test, type TestContext} from 'node:test';
import {install} from '@sinonjs/fake-timers';
import type {Entries, Ledger} from '../../paywall/ledger/ledger.ts';
import type {Move, Sale} from '../../paywall/ledger/sale.ts';
import type {Settlement} from '../../paywall/payments/facilitator/facilitator.ts';
import type {Offer} from '../../paywall/payments/protocol/offer.ts';
import type {Payment} from '../../paywall/payments/protocol/payment.ts';
import {entitlementOf} from '../../paywall/payments/sales/entitlement.ts';
import type {PaymentServices} from '../../paywall/payments/services.ts';
import type {AuthorizationStatus} from '../../shared/evm/authorization-status.ts';
import {newSale} from '../ledger/new-sale.ts';

const START = 1_780_000_000_000;
const URL = 'https://snapshots.example/api/v1/a';
const [PAYER, NONCE, ASSET] = [`0x${'Ab'.repeat(20)}`, `0x${'1'.repeat(64)}`, `0x${'c'.repeat(40)}`];
const requirements = {scheme: 'exact', network: 'eip155:84532', asset: ASSET, payTo: '0xd', amount: '20000', extra: {}};
const offer = {
  ...{url: URL, snapshot: {sha256: 'ab', as_of: '2026-05-01'}, rule: {}},
  ...{required: {}, discovery: () => Promise.resolve({})},
} as unknown as Offer; // other members are not used
const authorization = {from: PAYER, to: '0x1', value: '1', validAfter: '0', validBefore: '1780000300', nonce: NONCE};

const paid = {kind: 'paid', transaction: '0x2', isFinal: true} as const;
const unused = {kind: 'unused', at: START} as const;
const noAnswer = {kind: 'no answer'} as const;
const retry = (reason: string) => ({kind: 'retry', reason});
const refused = (reason: string) => ({kind: 'refused', reason});
const none = {kind: 'none'};
const USED = refused('invalid_exact_evm_nonce_already_used');
const FORGED = refused('invalid_exact_evm_signature');
const MINUTE = 60_000;
const receipt = {success: true, transaction: '0x7', network: 'eip155:84532'} as const;
const settled = {state: 'settled', transaction: '0x9', settledAt: START} as const;
const delivered = {...settled, state: 'delivered', deliveredAt: START} as const;

type Entry = Partial<Record<Exclude<keyof Entries, 'failed'>, Partial<Sale>>> & {
  readonly failed?: readonly Partial<Sale>[];
};

interface World {
  /** The results of successive reads of the ledger. */
  readonly entries: readonly Entry[];
  readonly pass?: Partial<Sale>;
  /** Undefined without a node. */
  readonly status?: AuthorizationStatus | 'another chain';
  /** Of the failed sales, if it is not that of the payment. */
  readonly failedStatus?: AuthorizationStatus;
  readonly settlement?: Settlement | 'late' | 'never';
  /** By default the payer's key signed. */
  readonly contract?: 'signed' | 'forged' | 'no answer' | 'no node';
  /** The idempotency key of the payment, which is that of the sale. */
  readonly id?: string;
  readonly isBusy?: boolean;
  /** True if too many payments are verified. */
  readonly isLimited?: boolean;
  readonly cannotLease?: boolean;
  /** True if the ledger cannot record a collection. */
  readonly isFull?: boolean;
}

function saleOf(changes: Partial<Sale>): Sale {
  return {
    ...newSale({url: URL, sha256: 'ab', validBefore: 1_780_000_300, paymentId: 'id'}),
    payload: JSON.stringify({payload: {signature: '0x5a', authorization}, requirements}),
    ...{state: 'pending', reason: null, transaction: null, startedAt: START - 5, settledAt: null, deliveredAt: null},
    ...{finalAt: null, refund: null, refundedAt: null, leasedUntil: 0, readAt: START, ...changes},
  };
}

/** Looks for the entitlement of a payment, and returns it with a record of all calls. */
async function entitled(t: TestContext, world: World) {
  const clock = install({
    now: START,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
  });
  t.after(() => {
    clock.uninstall();
  });
  const [looks, moves, leases, chainCalls]: [number[], Move[], unknown[], unknown[][]] = [[], [], [], []];
  const [awaited, recorded]: [string[], unknown[]] = [[], []];
  const {pass, status, contract} = world;
  let found: Entry = {};
  const ledger = {
    find(key: string, buyer: object, id: string | null) {
      assert.deepEqual([key, id], ['a key', world.id ?? null]);
      assert.deepEqual(buyer, {network: requirements.network, payer: PAYER.toLowerCase(), url: URL});
      looks.push(Date.now() - START);
      found = world.entries[Math.min(looks.length, world.entries.length) - 1] ?? {};
      const {failed = [], ...single} = found;
      const entries = Object.entries(single).map(([name, sale]) => [name, saleOf(sale)] as const);
      return Promise.resolve({...Object.fromEntries(entries), failed: failed.map(saleOf)});
    },
    passes: () => Promise.resolve(pass ? [saleOf({members: ['a'], laterSnapshots: 1, ...pass})] : []),
    lease(_key: string, _holder: string, states: readonly string[]) {
      leases.push(states);
      const sale = [found.same, found.open, ...(found.failed ?? []), pass].find(
        each => each && states.includes(each.state ?? 'pending'),
      );
      return Promise.resolve(world.cannotLease || !sale ? undefined : saleOf(sale));
    },
    move: (_key: string, _holder: string, move: Move) => Promise.resolve(moves.push(move) > 0),
    markAwaited: (key: string) => Promise.resolve(void awaited.push(key)),
    recordCollection: (collection: unknown) =>
      world.isFull ? Promise.reject(new Error('the disk is full')) : Promise.resolve(void recorded.push(collection)),
    renew: () => Promise.resolve(true),
  } as unknown as Ledger; // other methods are not called
  const verifications: unknown[] = [];
  const services = {
    ...{ledger, clock: () => Date.now(), timeoutMs: 3_000, keepAlive: () => undefined},
    facilitator: {
      settle: () =>
        typeof world.settlement === 'string'
          ? new Promise(
              resolve => world.settlement === 'late' && setTimeout(resolve, 1_000, {kind: 'settled', receipt}),
            )
          : Promise.resolve(world.settlement ?? {kind: 'unknown'}),
    },
    chain: contract !== 'no node' &&
      (status ?? contract) && {
        find(sale: Sale, since: number) {
          chainCalls.push([sale.nonce, sale.payer, since - START]);
          return Promise.resolve(status === 'another chain' ? undefined : status);
        },
        findAll(sales: readonly Sale[], since: number) {
          chainCalls.push([...sales.map(({nonce}) => nonce), since - START]);
          return Promise.resolve(sales.map(({nonce}) => (nonce === '0x5' ? unused : world.failedStatus)));
        },
        isSigned: () => Promise.resolve(contract === 'no answer' ? undefined : contract === 'signed'),
      },
    verifications: {
      run(claimant: unknown, verify: () => unknown) {
        verifications.push(claimant);
        return Promise.resolve(world.isLimited ? retry('busy') : verify());
      },
    },
    waiting: {
      run: (claimant: unknown, wait: () => unknown) => {
        verifications.push(['waits', claimant]);
        return Promise.resolve(world.isBusy ? undefined : wait());
      },
    },
  } as unknown as PaymentServices; // other members are not used
  const claimant = {client: 'a client', payer: PAYER.toLowerCase(), isByKey: contract === undefined};
  const payment = {key: 'a key', id: world.id ?? null, payload: {signature: '0x5a', authorization}, requirements};
  const finding = entitlementOf(
    {kind: 'payment', payment: payment as unknown as Payment, claimant, isTimely: true},
    {...offer, rule: pass ? {snapshots: {a: []}} : {}} as unknown as Offer,
    services,
  );
  await clock.tickAsync(10_000);
  const entitlement = await finding;
  const {sale} = entitlement.kind === 'entitled' ? entitlement : {};
  const timers = clock.countTimers();
  sale?.lease?.drop();
  return {
    ...{looks, moves, leases, awaited, recorded, chainCalls, verifications, claimant, timers},
    outcome: sale ? {transaction: sale.receipt.transaction, isLeased: sale.lease !== undefined} : entitlement,
  };
}

const collectable = {transaction: '0x9', isLeased: true};
const owned = {transaction: '0x9', isLeased: false};
const open = {open: settled};
const cases: readonly [what: string, world: World, expected: object, looks?: number][] = [
  ['no sale', {entries: [{}]}, none],
  ['another sale with its key', {entries: [{sameIdentifier: {}}]}, {kind: 'conflict'}],
  ['its pending sale', {entries: [{same: {}}]}, retry('in_flight')],
  ['its delivered sale', {entries: [{same: delivered}]}, USED],
  ['its delivered sale with its key', {entries: [{same: delivered}], id: 'id'}, owned],
  ['its settled sale with its key', {entries: [{same: settled}], id: 'id'}, collectable],
  ['its settled sale with its key, used', {entries: [{same: settled}], id: 'id', status: paid}, collectable],
  ['another settled sale', {entries: [open]}, collectable],
  ['another settled sale, unused', {entries: [open], status: unused}, collectable],
  ['another settled sale on another chain', {entries: [open], status: 'another chain'}, collectable],
  ['another settled sale, copied', {entries: [open], status: paid}, USED],
  ['another settled sale, no answer', {entries: [open], status: noAnswer}, retry('unavailable')],
  ['another settled sale, by its contract', {entries: [open], status: unused, contract: 'signed'}, collectable],
  ['another settled sale, copied from a contract', {entries: [open], status: paid, contract: 'signed'}, USED],
  ['another settled sale, forged', {entries: [open], status: unused, contract: 'forged'}, FORGED],
  ['another settled sale, perhaps forged', {entries: [open], contract: 'no answer'}, retry('unavailable')],
  ['another settled sale of a contract without a node', {entries: [open], contract: 'no node'}, none],
  ['a pass', {entries: [{}], pass: delivered}, owned],
  ['a pass that is not delivered', {entries: [{}], pass: settled}, collectable],
  ['a pass that is not collected', {entries: [{}], pass: {...settled, state: 'expired'}}, collectable],
  ['a pass of another', {entries: [{}], pass: delivered, status: paid}, USED],
  ['a settled sale and a pass', {entries: [open], pass: delivered}, collectable],
  ['a pending sale and a pass', {entries: [{open: {}}], pass: delivered}, owned],
  ['a declined sale', {entries: [{failed: [{state: 'declined'}]}]}, none],
  ['a declined sale, unused', {entries: [{failed: [{state: 'declined'}]}], status: unused}, none],
  [
    'a declined sale that is paid',
    {entries: [{failed: [{state: 'declined'}]}, open], status: unused, failedStatus: paid},
    collectable,
    2,
  ],
  ['a declined sale that is paid, copied', {entries: [{failed: [{state: 'declined'}]}, open], status: paid}, USED],
  [
    'a declined sale that is paid, no answer',
    {entries: [{failed: [{state: 'declined'}]}, open], status: noAnswer, failedStatus: paid},
    retry('unavailable'),
  ],
  [
    'a declined sale about which the node does not answer',
    {entries: [{failed: [{state: 'declined'}]}], status: unused, failedStatus: noAnswer},
    retry('unavailable'),
  ],
  [
    'a declined sale that is paid, forged',
    {entries: [{failed: [{state: 'declined'}]}], status: paid, contract: 'forged'},
    FORGED,
  ],
  [
    'a declined sale that is paid, by its contract',
    {entries: [{failed: [{state: 'declined'}]}, open], status: unused, failedStatus: paid, contract: 'signed'},
    collectable,
    2,
  ],
  [
    'a declined sale that is paid, which another process records',
    {
      ...{entries: [{failed: [{state: 'declined'}]}, {same: delivered}], cannotLease: true},
      ...{status: unused, failedStatus: paid},
    },
    USED,
    2,
  ],
  ['a sale that arrived', {entries: [{open: {...settled, deliveredAt: START - 5 * MINUTE - 1}}, {}]}, none, 2],
  ['a sale that may arrive', {entries: [{open: {...settled, deliveredAt: START - 5 * MINUTE}}]}, collectable],
  ['a refunded sale', {entries: [{open: {...settled, refund: '0x1'}}, {}]}, none, 2],
  [
    'an open sale that is settled',
    {
      entries: [{open: {}}],
      settlement: {kind: 'settled', receipt},
    },
    {transaction: '0x7', isLeased: true},
  ],
  ['an open sale without an answer', {entries: [{open: {}}]}, retry('unknown')],
  [
    'its pending sale with its key, used elsewhere',
    {entries: [{same: {}}, {same: {state: 'unpaid'}}], id: 'id', status: {kind: 'used elsewhere', isFinal: true}},
    USED,
    2,
  ],
  ['an open sale that is leased', {entries: [{open: {...settled, leasedUntil: START}}, open]}, collectable, 2],
  [
    'an open sale with an expired lease that is settled late',
    {entries: [{open: {leasedUntil: START}}, {open: {}}], settlement: 'late'},
    {...collectable, transaction: '0x7'},
    2,
  ],
  [
    'an open sale with an expired lease that is never settled',
    {entries: [{open: {leasedUntil: START}}, {open: {}}], settlement: 'never'},
    retry('unknown'),
    2,
  ],
  ['an open sale with an expired lease', {entries: [{open: {...settled, leasedUntil: START - 1}}]}, collectable],
  ['an open sale that another process leases', {entries: [open, {same: delivered}], cannotLease: true}, USED, 2],
  ['a pass that another process leases', {entries: [{}], pass: settled, cannotLease: true}, retry('unknown'), 11],
];

describe('the entitlement by a payment with', () => {
  for (const [what, world, expected, looks = 1] of cases)
    test(`${what} is ${JSON.stringify(expected)}`, async t => {
      const {outcome, ...happened} = await entitled(t, world);
      assert.deepEqual([outcome, happened.looks.length], [expected, looks]);
    });
});

for (const state of ['declined', 'unpaid', 'indeterminate'] as const)
  test(`a paid sale that was ${state} is recorded as settled, also if a later sale failed too`, async t => {
    const failed = [
      {state: 'declined', nonce: '0x5'},
      {state, nonce: '0x4', startedAt: START - 90},
    ] as const;
    const {moves, leases, chainCalls} = await entitled(t, {
      entries: [{failed}, open],
      ...{status: unused, failedStatus: paid},
    });
    assert.deepEqual(moves, [{to: 'settled', transaction: '0x2'}]);
    assert.deepEqual(leases, [[state], ['pending', 'settled']]);
    assert.deepEqual(chainCalls, [
      [NONCE, PAYER.toLowerCase(), 0],
      ['0x5', '0x4', -90],
    ]);
  });

test('a payment proves its sender if it is unused, once', async t => {
  const {chainCalls, verifications, claimant} = await entitled(t, {
    entries: [{open: {...settled, leasedUntil: START}}, open],
    status: unused,
  });
  assert.deepEqual(chainCalls, [[NONCE, PAYER.toLowerCase(), 0]]);
  assert.deepEqual(verifications, [claimant, ['waits', claimant]]);
});

for (const [what, world, sale] of [
  ['collects the document of another', {entries: [{open: {...settled, key: 'a sale'}}]}, 'a sale'],
  ['gets a document by a pass', {entries: [{}], pass: {...delivered, key: 'a pass'}}, 'a pass'],
  ['cannot collect it yet', {entries: [{open: {}}], settlement: {kind: 'unknown'}}, undefined],
  [
    'finds that the earlier one paid nothing',
    {entries: [{open: {}}, {}], status: {...unused, at: 2 * START}},
    undefined,
  ],
  ['is sent again with its key', {entries: [{same: settled}], id: 'id'}, undefined],
] as const satisfies [string, World, string | undefined][])
  test(`a payment that ${what} ${sale === undefined ? 'is not' : 'is'} recorded as a collection`, async t => {
    const {recorded} = await entitled(t, world);
    assert.deepEqual(recorded, sale === undefined ? [] : [{key: 'a key', paymentId: null, sale, sha256: 'ab'}]);
  });

test('a document is not sent, and its sale is not leased any more, if the collection cannot be recorded', async t => {
  const {outcome, leases, timers} = await entitled(t, {entries: [open], isFull: true});
  // The request may have charged the sale that it collects.
  assert.deepEqual(outcome, retry('unknown'));
  assert.deepEqual([leases.length, timers], [1, 0]);
});

test('a document is not sent by a pass if the collection cannot be recorded', async t => {
  const {outcome} = await entitled(t, {entries: [{}], pass: {...delivered, key: 'a pass'}, isFull: true});
  assert.deepEqual(outcome, retry('unknown'));
});

test('a request to a busy gate is not recorded, because its client can make it busy', async t => {
  const sale = {...settled, deliveredAt: START - 2 * MINUTE};
  const {awaited, outcome} = await entitled(t, {entries: [{open: sale}], isLimited: true});
  assert.deepEqual([outcome, awaited], [retry('busy'), []]);
});

for (const [what, changes, isAwaited] of [
  ['was not sent', {}, false],
  ['was sent a minute ago', {deliveredAt: START - MINUTE}, false],
  ['was sent earlier', {deliveredAt: START - MINUTE - 1}, true],
  ['may arrive', {deliveredAt: START - 5 * MINUTE}, true],
  ['arrived', {deliveredAt: START - 5 * MINUTE - 1}, false],
] as const)
  test(`a request that cannot be answered is recorded for a document that ${what}: ${isAwaited}`, async t => {
    const sale = {...settled, ...changes, key: 'the sale'};
    const {awaited, outcome} = await entitled(t, {entries: [{open: sale}], status: noAnswer});
    assert.deepEqual(outcome, retry('unavailable'));
    assert.deepEqual(awaited, isAwaited ? ['the sale'] : []);
  });

for (const [what, changes, move] of [
  ['arrived is delivered', {deliveredAt: START - 5 * MINUTE - 1}, {to: 'delivered'}],
  ['is not collected for a day has expired', {settledAt: START - 24 * 60 * MINUTE - 1}, {to: 'expired'}],
] as const)
  test(`a settled sale that ${what}`, async t => {
    const {moves} = await entitled(t, {entries: [{open: {...settled, ...changes}}, {}]});
    assert.deepEqual(moves, [move]);
  });

test('passes are owned or leased, as far as they are paid', async t => {
  assert.deepEqual((await entitled(t, {entries: [{}], pass: settled})).leases, [['settled', 'expired']]);
});

test('a sale that another process works on is read again with growing pauses, while the buyer waits', async t => {
  const {looks, outcome} = await entitled(t, {entries: [{open: {leasedUntil: START}}]});
  assert.deepEqual(looks, [0, 5, 15, 35, 75, 155, 315, 635, 1_275, 2_275, 3_275]);
  assert.deepEqual(outcome, retry('unknown'));
});

test('a request that cannot wait is answered immediately', async t => {
  const {outcome, looks} = await entitled(t, {entries: [{open: {leasedUntil: START}}], isBusy: true});
  assert.deepEqual([outcome, looks], [retry('in_flight'), [0]]);
});
