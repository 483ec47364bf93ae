import assert from 'node:assert/strict';
import {describe, test, type TestContext} from 'node:test';
import {install} from '@sinonjs/fake-timers';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import type {Move, NewSale, Sale} from '../../paywall/ledger/sale.ts';
import type {Settlement} from '../../paywall/payments/facilitator/facilitator.ts';
import type {Offer} from '../../paywall/payments/protocol/offer.ts';
import {Lease} from '../../paywall/payments/sales/lease.ts';
import {inTime, settle, settleAgain, type Outcome} from '../../paywall/payments/sales/settle.ts';
import type {PaymentServices} from '../../paywall/payments/services.ts';
import type {AuthorizationStatus} from '../../shared/evm/authorization-status.ts';
import {newSale} from '../ledger/new-sale.ts';

const START = 1_780_000_000_000;
const VALID_BEFORE = START / 1000 + 300;
const EXPIRED = VALID_BEFORE * 1000;
const USED = 'invalid_exact_evm_nonce_already_used';
const payload = {signature: '0x5a', authorization: {nonce: '0x1'}};
const requirements = {scheme: 'exact', network: 'eip155:84532'};
const resource = {url: 'https://snapshots.example/api/v1/a'};
const offer = {
  required: {resource, extensions: {snapshot: {}}},
  discovery: () => Promise.resolve({bazaar: {}}),
} as unknown as Offer; // other members are not used

const paid = {kind: 'paid', transaction: '0x2', isFinal: true} as const;
const elsewhere = {kind: 'used elsewhere', isFinal: true} as const;
const noAnswer = {kind: 'no answer'} as const;
const unused = (at: number) => ({kind: 'unused', at}) as const;
const ofChain = {kind: 'settled', transaction: '0x2'};
const ofFacilitator = {kind: 'settled', transaction: '0x1'};
const receipt = {success: true, transaction: '0x1', network: 'eip155:84532'} as const;
const settled = {kind: 'settled', receipt} as const;
const poor = {kind: 'declined', reason: 'poor'} as const;
const unknown = {kind: 'unknown'} as const;
const unpaid = (reason: string) =>
  [
    {kind: 'declined', reason},
    {to: 'unpaid', reason},
  ] as const;
const open = [{kind: 'unknown'}, {to: 'pending'}] as const;

interface World {
  readonly settlement?: Settlement;
  /** The statuses that the chain shows, one after the other. Without them there is no node. */
  readonly statuses?: readonly (AuthorizationStatus | undefined)[] | undefined;
  readonly timeoutMs?: number;
  readonly changes?: Partial<NewSale>;
}

/** Leases a new sale, with a virtual clock. */
async function worldOf(t: TestContext, {settlement = unknown, statuses, timeoutMs = 30_000, changes}: World) {
  const clock = install({
    now: START,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
  });
  t.after(() => {
    clock.uninstall();
  });
  const calls: unknown[] = [];
  const moves: Move[] = [];
  const sale = {...newSale({validBefore: VALID_BEFORE, payload: JSON.stringify({payload, requirements}), ...changes})};
  const ledger = {
    time: () => Promise.resolve(START),
    start: () => Promise.resolve(true),
    lease: () => Promise.resolve({...sale, state: 'pending', startedAt: START - 5, readAt: START} as Sale),
    withdraw: (key: string) => Promise.resolve(void calls.push(['withdraw', key])),
    renew: () => Promise.resolve(calls.push('renew') > 0),
    move(_key: string, _holder: string, move: Move, keepLease: boolean) {
      moves.push(move);
      calls.push(keepLease ? 'moved' : 'released');
      return Promise.resolve(true);
    },
  } as unknown as Ledger; // other methods are not called
  const asked: number[] = [];
  const alive: Promise<unknown>[] = [];
  const services = {
    ledger,
    facilitator: {
      settle(...order: unknown[]) {
        calls.push(['settle', ...order]);
        return Promise.resolve(settlement);
      },
    },
    chain: statuses && {
      find(_: Sale, since: number) {
        asked.push(since);
        return Promise.resolve(statuses[Math.min(asked.length, statuses.length) - 1]);
      },
    },
    observer: {sold: ({key}: NewSale) => calls.push(['sold', key])},
    clock: () => Date.now(),
    timeoutMs,
    keepAlive: (work: Promise<unknown>) => alive.push(work),
  } as unknown as PaymentServices; // other members are not used
  const lease = await Lease.start(ledger, sale, performance.now());
  assert.ok(lease);
  return {clock, calls, moves, asked, alive, services, ledger, lease, sale};
}

/** The outcome without the sale, and with its transaction. */
function plain(outcome: Outcome) {
  return outcome.kind === 'settled' ? {kind: outcome.kind, transaction: outcome.sale.receipt.transaction} : outcome;
}

type Case = readonly [what: string, world: World, expected: readonly [outcome: object, move?: Move]];

const cases: readonly Case[] = [
  ['by the facilitator', {settlement: settled}, [ofFacilitator]],
  ['by the facilitator, independent of the chain', {settlement: settled, statuses: [elsewhere]}, [ofFacilitator]],
  ['not if it is declined', {settlement: poor}, [poor, {to: 'declined', reason: 'poor'}]],
  ['by a copy of a declined payment', {settlement: poor, statuses: [paid]}, [ofChain]],
  [
    'not if it is declined and used elsewhere',
    {settlement: poor, statuses: [elsewhere]},
    [poor, {to: 'declined', reason: 'poor'}],
  ],
  ['perhaps, without an answer and without a node', {}, open],
  ['without an answer, if the chain shows it', {statuses: [paid]}, [ofChain]],
  ['without an answer, if the chain shows it later', {statuses: [unused(START), noAnswer, undefined, paid]}, [ofChain]],
  ['not if it is used elsewhere', {statuses: [noAnswer, elsewhere]}, unpaid(USED)],
  ['not if the chain is past its expiry', {statuses: [unused(EXPIRED - 1), unused(EXPIRED)]}, unpaid('never settled')],
  ['perhaps, if the chain shows nothing', {statuses: [unused(EXPIRED - 1)]}, open],
];

describe('a new sale is settled', () => {
  for (const [what, world, [outcome, move]] of cases)
    test(what, async t => {
      const {clock, services, lease, moves, calls, sale} = await worldOf(t, world);
      const settling = settle(lease, offer, services);
      await clock.tickAsync(5_000);
      assert.deepEqual(plain(await settling), outcome);
      assert.deepEqual(moves, [move ?? {to: 'settled', transaction: (outcome as typeof ofChain).transaction}]);
      // A settled sale stays leased until its document is sent.
      const ofSale = calls.filter(call => call !== 'renew').slice(1);
      assert.deepEqual(ofSale, move ? ['released'] : [['sold', sale.key], 'moved']);
      lease.drop();
    });

  test('with the recorded payment, and our extensions', async t => {
    const {services, lease, calls} = await worldOf(t, {settlement: settled});
    await settle(lease, offer, services);
    const extensions = {snapshot: {}, bazaar: {}};
    const sent = {x402Version: 2, resource, accepted: requirements, payload, extensions};
    assert.deepEqual(calls[0], ['settle', sent, requirements]);
    lease.drop();
  });

  test('not if the facilitator cannot be reached: then it is withdrawn', async t => {
    const {services, lease, calls, moves, sale, clock} = await worldOf(t, {settlement: {kind: 'unavailable'}});
    assert.deepEqual(await settle(lease, offer, services), {kind: 'unavailable'});
    assert.deepEqual([calls.slice(1), moves], [[['withdraw', sale.key]], []]);
    await clock.tickAsync(60_000);
    assert.ok(!calls.includes('renew'));
  });

  for (const [timeoutMs, looks] of [
    [30_000, 8],
    [1_000, 4],
  ] as const)
    test(`and its transaction is searched twice a second, for at most ${Math.min(timeoutMs, 3_000)} ms`, async t => {
      const {clock, services, lease, asked} = await worldOf(t, {statuses: [noAnswer], timeoutMs});
      const settling = settle(lease, offer, services);
      await clock.tickAsync(10_000);
      await settling;
      assert.deepEqual(
        asked,
        Array.from({length: looks}, (_, at) => START + 500 * at),
      );
    });
});

const again: readonly (readonly [...Case, settlements: number])[] = [
  ['by an earlier settlement', {statuses: [paid]}, [ofChain], 0],
  ['not if it is used elsewhere', {statuses: [elsewhere]}, unpaid(USED), 0],
  ['not if it has expired', {statuses: [unused(EXPIRED)]}, unpaid('never settled'), 0],
  ['by the facilitator', {settlement: settled, statuses: [unused(START)]}, [ofFacilitator], 1],
  ['by a settlement without an answer', {statuses: [noAnswer, paid]}, [ofChain], 1],
  ['not by a declined settlement', {settlement: poor, statuses: [unused(START), elsewhere]}, unpaid(USED), 1],
  ['perhaps, if the chain shows nothing', {settlement: poor, statuses: [unused(START)]}, open, 1],
  ['by the facilitator without a node', {settlement: settled}, [ofFacilitator], 1],
  ['perhaps, if a facilitator declines it', {settlement: poor}, open, 1],
  [
    'perhaps for ever, after its expiry without a node',
    {changes: {validBefore: START / 1000}},
    [{kind: 'indeterminate'}, {to: 'indeterminate'}],
    1,
  ],
  [
    'perhaps for ever, after its expiry with a node of another network',
    {statuses: [undefined], changes: {validBefore: START / 1000}},
    [{kind: 'indeterminate'}, {to: 'indeterminate'}],
    1,
  ],
  ['perhaps, before its expiry without a node', {changes: {validBefore: START / 1000 + 1}}, open, 1],
];

describe('an open sale is settled', () => {
  for (const [what, world, [outcome, move], settlements] of again)
    test(what, async t => {
      const {clock, services, ledger, lease: first, moves, calls, asked, sale} = await worldOf(t, world);
      first.drop();
      const lease = await Lease.take(ledger, sale.key, ['pending']);
      assert.ok(lease);
      assert.deepEqual(plain(await settleAgain(lease, offer, services)), outcome);
      await clock.tickAsync(100);
      assert.deepEqual(moves, [move ?? {to: 'settled', transaction: (outcome as typeof ofChain).transaction}]);
      assert.equal(calls.filter(call => String(call).startsWith('settle')).length, settlements);
      // Since the sale started: the authorization may have been used long ago.
      assert.deepEqual(new Set(asked), new Set(world.statuses && [START - 5]));
      lease.drop();
    });
});

describe('a buyer who waits for a settlement', () => {
  test('receives its outcome', async t => {
    const {clock, services, lease, alive} = await worldOf(t, {settlement: settled});
    const outcome = await inTime(settle(lease, offer, services), lease, services);
    assert.equal(outcome.kind, 'settled');
    await clock.tickAsync(60_000);
    assert.equal(alive.length, 2);
    lease.drop();
  });

  test('receives a 503 with an unknown outcome after 30 seconds, and a later settlement is recorded', async t => {
    const {clock, services, lease, moves, alive} = await worldOf(t, {settlement: settled});
    const slow = new Promise(resolve => setTimeout(resolve, 31_000)).then(() => settle(lease, offer, services));
    let outcome: Outcome | undefined;
    void inTime(slow, lease, services).then(known => (outcome = known));
    await clock.tickAsync(29_999);
    assert.equal(outcome, undefined);
    await clock.tickAsync(1);
    assert.deepEqual(outcome, {kind: 'unknown'});
    assert.deepEqual([moves, alive.length], [[], 2]);
    await clock.tickAsync(1_000);
    await Promise.all(alive);
    assert.deepEqual(moves, [{to: 'settled', transaction: '0x1'}]);
  });

  for (const [what, settlement, expected] of [
    ['a later refusal is recorded once', poor, [{to: 'declined', reason: 'poor'}]],
    ['a later failure to reach the facilitator is not', {kind: 'unavailable'}, []],
  ] as const)
    test(`receives a 503 with an unknown outcome, and ${what}`, async t => {
      const {clock, services, lease, moves} = await worldOf(t, {settlement, timeoutMs: 10});
      const slow = new Promise(resolve => setTimeout(resolve, 20)).then(() => settle(lease, offer, services));
      void inTime(slow, lease, services);
      await clock.tickAsync(100);
      assert.deepEqual(moves, expected);
    });

  test('receives a 503 with an unknown outcome if the ledger fails, and the lease ends by itself', async t => {
    const {clock, services, lease, calls} = await worldOf(t, {});
    const outcome = await inTime(Promise.reject(new Error('the disk is full')), lease, services);
    assert.deepEqual(outcome, {kind: 'unknown'});
    await clock.tickAsync(60_000);
    assert.deepEqual(calls, []);
  });

  test('does not stop the gate if a later settlement cannot be recorded', async t => {
    const {clock, services, lease, alive} = await worldOf(t, {settlement: settled, timeoutMs: 10});
    const slow = new Promise(resolve => setTimeout(resolve, 20)).then(() => settle(lease, offer, services));
    Object.assign(lease, {sent: () => Promise.reject(new Error('the disk is full'))});
    void inTime(slow, lease, services);
    await clock.tickAsync(100);
    await Promise.all(alive);
    lease.drop();
  });
});
