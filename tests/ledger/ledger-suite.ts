import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, before, describe, test} from 'node:test';
import {setTimeout} from 'node:timers/promises';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {LEASE_MS} from '../../paywall/ledger/ledger.ts';
import type {ContractSpending, SignedNonce} from '../../paywall/ledger/reservation.ts';
import {moves, type Move, type Sale, type State} from '../../paywall/ledger/sale.ts';
import type {Backend, Backends, Store} from './backends.ts';
import {newSale} from './new-sale.ts';

const ME = 'me';
const OTHER = 'another process';
const PAGE = 7;

/** One move to each state. */
const MOVES: Readonly<Record<State, Move>> = {
  pending: {to: 'pending'},
  settled: {to: 'settled', transaction: '0xabc'},
  delivered: {to: 'delivered'},
  declined: {to: 'declined', reason: 'insufficient_funds'},
  unpaid: {to: 'unpaid', reason: 'taken back by the chain'},
  indeterminate: {to: 'indeterminate'},
  expired: {to: 'expired'},
};
const STATES = Object.keys(moves) as State[];

/** The payer of a sale in one of these states has paid for the document. */
const OWNED: readonly State[] = ['settled', 'delivered', 'expired'];

/** The moves of a new sale to each state. */
const MOVES_TO: Readonly<Record<State, readonly State[]>> = {
  pending: [],
  settled: ['settled'],
  delivered: ['settled', 'delivered'],
  declined: ['declined'],
  unpaid: ['unpaid'],
  indeterminate: ['indeterminate'],
  expired: ['settled', 'expired'],
};

/** Runs the same tests on every backend. */
export function testLedgers(backends: Backends): void {
  for (const [name, openBackend] of Object.entries(backends))
    describe(`the ledger in ${name}`, () => {
      let backend: Backend;
      let store: Store;
      let ledger: Ledger;
      before(async () => {
        backend = await openBackend();
        store = await backend.createStore();
        ledger = await store.open();
      });
      after(() => backend[Symbol.asyncDispose]());

      /** Starts a sale under a lease of ours. */
      const started = async (changes = {}) => {
        const sale = newSale(changes);
        assert.equal(await ledger.start(sale, ME), true);
        return sale;
      };
      const found = async (sale: ReturnType<typeof newSale>) => {
        const {same} = await ledger.find(sale.key, sale);
        assert.ok(same);
        return same;
      };
      /** Ends leases earlier, as if this time had passed. */
      const elapse = (milliseconds: number) =>
        store.run(`UPDATE sales SET leased_until = leased_until - ${milliseconds}`);

      test('stores all members of a sale, and numbers as numbers', async () => {
        const before = Date.now();
        const sale = await started();
        const kept = await found(sale);
        const {startedAt, leasedUntil, readAt, ...rest} = kept;
        assert.deepEqual(rest, {
          ...sale,
          state: 'pending',
          reason: null,
          transaction: null,
          settledAt: null,
          deliveredAt: null,
          finalAt: null,
          refund: null,
          refundedAt: null,
        });
        assert.ok(Math.abs(startedAt - before) < 2000, `${startedAt}, expected about ${before}`);
        assert.ok(Number.isInteger(startedAt) && Number.isInteger(leasedUntil) && Number.isInteger(readAt));
        assert.equal(leasedUntil, startedAt + LEASE_MS);
        assert.ok(readAt >= startedAt && readAt < startedAt + 2000);
      });

      test('starts no sale for a request that is older than the last delivery to its payer', async () => {
        const sale = await started();
        await ledger.move(sale.key, ME, {to: 'delivered'});
        const {deliveredAt} = await found(sale);
        assert.ok(deliveredAt);
        const {payer} = sale;
        assert.equal(await ledger.start(newSale({payer}), ME, deliveredAt - 1), false);
        assert.equal(await ledger.start(newSale(), ME, deliveredAt - 1), true);
        assert.equal(await ledger.start(newSale({payer}), ME, deliveredAt), true);
      });

      test('reports its time', async () => {
        const {startedAt} = await found(await started());
        const time = await ledger.time();
        assert.ok(
          Number.isInteger(time) && time >= startedAt && time < startedAt + 2000,
          `${time}, after ${startedAt}`,
        );
      });

      test('records when a document was sent, not when that is written', async () => {
        const sale = await started();
        await ledger.move(sale.key, ME, {to: 'delivered', sentAfterMs: 5});
        const {startedAt, settledAt, deliveredAt} = await found(sale);
        assert.deepEqual([settledAt, deliveredAt], [startedAt + 5, startedAt + 5]);
      });

      test('stores every character of a text', async () => {
        const odd = `'"?$1 \u{1f600}\\\n`;
        const sale = await started({payload: odd, product: odd});
        assert.deepEqual([(await found(sale)).payload, (await found(sale)).product], [odd, odd]);
      });

      test('lets one of 100 concurrent calls start the sale of an authorization', async () => {
        const sale = newSale();
        const won = await Promise.all(Array.from({length: 100}, (_, i) => ledger.start(sale, `holder ${i}`)));
        assert.equal(won.filter(Boolean).length, 1);
      });

      test('lets one of 100 concurrent authorizations of a payer open a sale of a document', async () => {
        const {payer} = newSale();
        const sales = Array.from({length: 100}, () => newSale({payer}));
        const won = await Promise.all(sales.map(sale => ledger.start(sale, ME)));
        const [winner] = sales.filter((_, i) => won[i]);
        assert.ok(winner);
        assert.equal(won.filter(Boolean).length, 1);
        const {same, open} = await ledger.find('another', winner);
        assert.deepEqual([same, open?.key], [undefined, winner.key]);
      });

      test('lets only the holder of the lease withdraw a sale, and only a pending one', async () => {
        const sale = await started();
        await ledger.withdraw(sale.key, 'another');
        await found(sale);
        await ledger.move(sale.key, ME, {to: 'settled', transaction: '0x1'}, true);
        await ledger.withdraw(sale.key, ME);
        await found(sale);
        const other = await started();
        await ledger.withdraw(other.key, ME);
        assert.equal((await ledger.find(other.key, other)).same, undefined);
      });

      test('does not count open sales for a sale whose payer is not proven', async () => {
        const {payer} = await started();
        assert.equal(await ledger.start(newSale({payer, isProven: false}), ME), true);
      });

      test('lets a payer have one open sale for each document and network', async () => {
        const sale = await started();
        const {payer} = sale;
        assert.equal(await ledger.start(newSale({payer}), ME), false);
        await started({payer, url: 'https://snapshots.example/api/v1/other'});
        await started({payer, network: 'eip155:8453'});
      });

      for (const state of STATES)
        test(`a sale that is ${state} ${['pending', 'settled'].includes(state) ? 'is' : 'is not'} the payer's open one`, async () => {
          const sale = await started();
          for (const to of MOVES_TO[state]) await ledger.move(sale.key, ME, MOVES[to], true);
          const isOpen = state === 'pending' || state === 'settled';
          const next = newSale({payer: sale.payer});
          const {same, open} = await ledger.find(next.key, next);
          assert.deepEqual(
            [same, open?.key, open?.state],
            [undefined, isOpen ? sale.key : undefined, isOpen ? state : undefined],
          );
          const its = await ledger.find(sale.key, sale);
          assert.deepEqual([its.same?.state, its.open], [state, undefined]);
          assert.equal(await ledger.start(next, ME), !isOpen);
          assert.equal(await ledger.start(sale, ME), false);
        });

      test('does not open a sale again while its payer has another open sale', async () => {
        const sale = await started();
        await ledger.move(sale.key, ME, MOVES.indeterminate, true);
        const second = await started({payer: sale.payer});
        assert.equal(await ledger.move(sale.key, ME, MOVES.settled, true), false);
        assert.equal((await found(sale)).state, 'indeterminate');
        await ledger.move(second.key, ME, MOVES.declined);
        assert.equal(await ledger.move(sale.key, ME, MOVES.settled), true);
      });

      test('records a delivery while its payer has another open sale', async () => {
        const sale = await started();
        for (const to of ['settled', 'expired'] as const) await ledger.move(sale.key, ME, MOVES[to], true);
        await started({payer: sale.payer});
        assert.equal(await ledger.move(sale.key, ME, MOVES.delivered), true);
      });

      test('finds the sales of a payer that failed and are not final, the latest first', async () => {
        const sale = await started();
        await ledger.move(sale.key, ME, MOVES.declined);
        const keys = [sale.key];
        for (const move of [MOVES.unpaid, MOVES.indeterminate, MOVES.declined]) {
          await setTimeout(2); // each starts at another millisecond
          const other = await started({payer: sale.payer, validBefore: 1});
          await ledger.move(other.key, ME, move);
          keys.unshift(other.key);
        }
        const found = async () => (await ledger.find('another', sale)).failed.map(({key}) => key);
        assert.deepEqual(await found(), keys);
        await ledger.markFinal(sale.key);
        assert.deepEqual(await found(), keys.slice(0, -1));
      });

      test('finds no failed sale of an unproven payer, nor one that was delivered or refunded', async () => {
        const sale = await started({isProven: false});
        await ledger.move(sale.key, ME, MOVES.declined);
        const sent = await started({payer: sale.payer});
        await ledger.move(sent.key, ME, MOVES.delivered, true);
        await ledger.move(sent.key, ME, MOVES.unpaid);
        const refunded = await started({payer: sale.payer});
        await ledger.move(refunded.key, ME, MOVES.indeterminate);
        await ledger.refund(refunded.key, '0x1');
        assert.deepEqual((await ledger.find('another', sale)).failed, []);
      });

      test('a sent document that is awaited counts as sent now, unless it was delivered', async () => {
        const sale = await started();
        const deliveredAt = async () => (await ledger.find(sale.key, sale)).same?.deliveredAt;
        await ledger.move(sale.key, ME, MOVES.settled, true);
        await ledger.markAwaited(sale.key);
        assert.equal(await deliveredAt(), null);
        await ledger.move(sale.key, ME, {to: 'settled', sentAfterMs: 0}, true);
        const sentAt = (await deliveredAt()) ?? Number.NaN;
        await setTimeout(2);
        await ledger.markAwaited(sale.key);
        const awaitedAt = (await deliveredAt()) ?? Number.NaN;
        assert.ok(awaitedAt > sentAt);
        await ledger.move(sale.key, ME, MOVES.delivered);
        await setTimeout(2);
        await ledger.markAwaited(sale.key);
        assert.equal(await deliveredAt(), awaitedAt);
      });

      test('finds nothing if there is no such sale', async () => {
        const sale = newSale();
        const nothing = {same: undefined, open: undefined, failed: [], sameIdentifier: undefined, collected: undefined};
        assert.deepEqual(await ledger.find(sale.key, sale, 'an unknown key'), nothing);
        assert.equal((await ledger.lease(sale.key, ME, STATES)) ?? undefined, undefined);
        assert.equal(await ledger.renew(sale.key, ME), false);
        assert.equal(await ledger.move(sale.key, ME, MOVES.settled), false);
        await ledger.markFinal(sale.key);
      });

      for (const from of STATES)
        test(`moves from ${from} only to the states in the table`, async () => {
          for (const to of STATES) {
            const sale = await started();
            for (const step of MOVES_TO[from])
              assert.equal(await ledger.move(sale.key, ME, MOVES[step], true), true, step);
            const previous = withoutReading(await found(sale));
            const isAllowed = (moves[from] as readonly State[]).includes(to);
            assert.equal(await ledger.move(sale.key, ME, MOVES[to], true), isAllowed, to);
            const now = withoutReading(await found(sale));
            if (isAllowed) assert.equal(now.state, to);
            else assert.deepEqual(now, previous, to);
          }
        });

      test('records the outcome of a sale, and its first time', async () => {
        const sale = await started();
        await ledger.move(sale.key, ME, {to: 'settled', transaction: ''}, true);
        const settled = await found(sale);
        assert.equal(settled.transaction, '');
        assert.ok(settled.settledAt !== null && settled.settledAt >= settled.startedAt);
        await ledger.move(sale.key, ME, MOVES.delivered, true);
        const delivered = await found(sale);
        assert.ok(delivered.deliveredAt !== null && delivered.deliveredAt >= settled.settledAt);
        await ledger.move(sale.key, ME, MOVES.unpaid, true);
        assert.equal((await found(sale)).reason, 'taken back by the chain');
        await ledger.move(sale.key, ME, MOVES.settled, true);
        await ledger.move(sale.key, ME, {to: 'delivered', transaction: undefined});
        const {settledAt, deliveredAt, transaction, reason} = await found(sale);
        assert.deepEqual([settledAt, deliveredAt, transaction], [settled.settledAt, delivered.deliveredAt, '0xabc']);
        assert.equal(reason, null);
      });

      test('records new times if a settlement was taken back and the sale settles again', async () => {
        const sale = await started();
        await ledger.move(sale.key, ME, {to: 'settled', transaction: '0xabc', sentAfterMs: 7}, true);
        await ledger.move(sale.key, ME, MOVES.pending, true);
        const pending = await found(sale);
        assert.deepEqual([pending.settledAt, pending.deliveredAt, pending.transaction], [null, null, '0xabc']);
        await ledger.move(sale.key, ME, {to: 'delivered', sentAfterMs: 9});
        const {startedAt, settledAt, deliveredAt} = await found(sale);
        assert.deepEqual([settledAt, deliveredAt], [startedAt + 9, startedAt + 9]);
      });

      test('does not lease a sale that is leased', async () => {
        const sale = await started();
        assert.equal((await ledger.lease(sale.key, OTHER, STATES)) ?? undefined, undefined);
        assert.equal((await ledger.lease(sale.key, ME, STATES)) ?? undefined, undefined);
        assert.equal(await ledger.renew(sale.key, OTHER), false);
        assert.equal(await ledger.move(sale.key, OTHER, MOVES.settled), false);
        assert.equal((await found(sale)).state, 'pending');
      });

      test('leases a released sale to one of 100 concurrent calls', async () => {
        const sale = await started();
        assert.equal(await ledger.move(sale.key, ME, MOVES.settled), true);
        assert.equal(await ledger.move(sale.key, ME, MOVES.delivered), false);
        const taken = await Promise.all(
          Array.from({length: 100}, (_, i) => ledger.lease(sale.key, `holder ${i}`, STATES)),
        );
        const won = taken.flatMap((got, i) => (got ? [i] : []));
        assert.equal(won.length, 1);
        assert.equal(taken[won[0] ?? -1]?.state, 'settled');
        assert.equal(await ledger.move(sale.key, `holder ${won[0]}`, MOVES.delivered), true);
      });

      test('leases a sale to another process if its lease was not renewed', async () => {
        const sale = await started();
        await elapse(LEASE_MS - 1000);
        assert.equal((await ledger.lease(sale.key, OTHER, STATES)) ?? undefined, undefined);
        await elapse(1001);
        assert.equal((await ledger.lease(sale.key, OTHER, STATES))?.key, sale.key);
        assert.equal(await ledger.renew(sale.key, ME), false);
        assert.equal(await ledger.move(sale.key, ME, MOVES.settled), false);
        assert.equal(await ledger.move(sale.key, OTHER, MOVES.settled), true);
      });

      test('keeps a lease that is renewed, even late if no other process has leased the sale', async () => {
        const sale = await started();
        await elapse(LEASE_MS - 1000);
        assert.equal(await ledger.renew(sale.key, ME), true);
        await elapse(LEASE_MS - 1000);
        assert.equal((await ledger.lease(sale.key, OTHER, STATES)) ?? undefined, undefined);
        await elapse(1001);
        assert.equal(await ledger.move(sale.key, ME, MOVES.pending, true), true);
        assert.equal((await ledger.lease(sale.key, OTHER, STATES)) ?? undefined, undefined);
      });

      test('lists every sale once, oldest first, in pages', async () => {
        const empty = await (await backend.createStore()).open();
        assert.deepEqual(await empty.list({limit: PAGE}), []);
        const sales = Array.from({length: 3 * PAGE + 1}, () => newSale());
        await Promise.all(sales.map(sale => empty.start(sale, ME)));
        const listed: Sale[] = [];
        for (;;) {
          const after = listed.at(-1);
          const page = await empty.list({limit: PAGE, ...(after && {after})});
          assert.ok(page.length <= PAGE);
          listed.push(...page);
          if (page.length < PAGE) break;
        }
        assert.deepEqual(new Set(listed.map(({key}) => key)), new Set(sales.map(({key}) => key)));
        assert.equal(listed.length, sales.length);
        const moments = listed.map(({startedAt}) => startedAt);
        assert.deepEqual(
          moments,
          [...moments].sort((a, b) => a - b),
        );
      });

      test('lists sales by state, and sales with a transaction that is not final', async () => {
        const one = await (await backend.createStore()).open();
        const sales = new Map<State, string>();
        for (const state of STATES) {
          const sale = newSale();
          await one.start(sale, ME);
          for (const to of MOVES_TO[state]) await one.move(sale.key, ME, MOVES[to], true);
          sales.set(state, sale.key);
        }
        const listed = async (page: Partial<Parameters<Ledger['list']>[0]>) =>
          // Sorted, because two sales can start in the same millisecond.
          (await one.list({limit: 100, ...page}))
            .map(({state}) => state)
            .sort((a, b) => STATES.indexOf(a) - STATES.indexOf(b));
        assert.deepEqual(await listed({}), STATES);
        assert.deepEqual(await listed({states: ['indeterminate', 'pending']}), ['pending', 'indeterminate']);
        assert.deepEqual(await listed({states: ['pending', 'delivered']}), ['pending', 'delivered']);
        assert.deepEqual(await listed({notFinal: true}), ['settled', 'delivered', 'declined', 'unpaid', 'expired']);
        await one.markFinal(sales.get('delivered') ?? '');
        assert.deepEqual(await listed({notFinal: true}), ['settled', 'declined', 'unpaid', 'expired']);
        assert.deepEqual(await listed({notFinal: true, states: ['expired']}), ['expired']);
        const [delivered] = await one.list({states: ['delivered'], limit: 1});
        assert.ok(Number.isInteger(delivered?.finalAt));
      });

      test('lists sales by their start, and by their transaction', async () => {
        const one = await (await backend.createStore()).open();
        for (const transaction of ['0x1', '0x2', '0x3']) {
          const sale = newSale();
          await one.start(sale, ME);
          await one.move(sale.key, ME, {to: 'settled', transaction});
          await setTimeout(2);
        }
        const [first, second, third] = (await one.list({limit: 9})).map(({startedAt}) => startedAt);
        const listed = async (page: object) =>
          (await one.list({limit: 9, ...page})).map(({transaction}) => transaction);
        assert.deepEqual(await listed({from: first, to: third}), ['0x1', '0x2']);
        assert.deepEqual(await listed({from: second}), ['0x2', '0x3']);
        assert.deepEqual(await listed({transaction: '0x2'}), ['0x2']);
      });

      test('lets one sale have an idempotency key, until the sale is declined', async () => {
        for (const end of ['declined', 'unpaid'] as const) {
          const sale = await started({paymentId: `pay_${randomUUID()}`});
          const duplicate = newSale({paymentId: sale.paymentId});
          assert.equal(await ledger.start(duplicate, OTHER), false);
          const before = await ledger.find(duplicate.key, duplicate, duplicate.paymentId);
          assert.equal(before.sameIdentifier?.key, sale.key);
          assert.equal(before.same, undefined);
          assert.equal((await ledger.find(sale.key, sale, sale.paymentId)).sameIdentifier, undefined);
          await ledger.move(sale.key, ME, MOVES[end]);
          assert.equal((await found(sale)).paymentId, null);
          assert.equal(await ledger.start(duplicate, OTHER), true);
        }
      });

      test('records one refund of a sale', async () => {
        const sale = await started();
        assert.equal(await ledger.refund(sale.key, '0xaa'), true);
        const {refund, refundedAt} = await found(sale);
        assert.equal(refund, '0xaa');
        assert.ok(Number.isInteger(refundedAt));
        assert.equal(await ledger.refund(sale.key, '0xbb'), false);
        assert.equal(await ledger.refund(sale.key, '0xaa'), true);
        assert.equal((await found(sale)).refundedAt, refundedAt);
        assert.equal(await ledger.refund('unknown', '0xaa'), false);
        const other = await started();
        assert.equal(await ledger.refund(other.key, '0xaa'), false);
        assert.equal((await found(other)).refund, null);
      });

      test('records a transfer as the refund of one sale, also with concurrent calls', async () => {
        const another = await store.open();
        for (let round = 0; round < 20; round++) {
          const [one, other] = [await started(), await started()];
          const transfer = `0xcc${round}`;
          const noted = await Promise.all([ledger.refund(one.key, transfer), another.refund(other.key, transfer)]);
          assert.equal(noted.filter(Boolean).length, 1);
        }
      });

      for (const state of STATES)
        test(`the document of a sale that is ${state} ${OWNED.includes(state) ? 'is' : 'is not'} the payer's`, async () => {
          const sale = await started();
          for (const to of MOVES_TO[state]) await ledger.move(sale.key, ME, MOVES[to], true);
          const {sha256} = sale;
          const key = async (buyer = sale, digest = sha256) => (await ledger.bought(buyer, digest))?.key;
          const passes = async (buyer = sale) => (await ledger.passes(buyer)).map(pass => pass.key);
          assert.deepEqual(await passes(), []);
          await store.run(`UPDATE sales SET later_snapshots = 2 WHERE key = '${sale.key}'`);
          assert.equal(await key(), OWNED.includes(state) ? sale.key : undefined);
          assert.equal(await key(sale, '00'.repeat(32)), undefined);
          for (const other of [{network: 'eip155:1'}, {payer: newSale().payer}, {url: `${sale.url}x`}])
            assert.deepEqual([await key({...sale, ...other}), await passes({...sale, ...other})], [undefined, []]);
          const elapse = (days: number) =>
            store.run(`UPDATE sales SET settled_at = settled_at - ${days * 86_400_000} WHERE key = '${sale.key}'`);
          await elapse(29);
          assert.equal(await key(), OWNED.includes(state) ? sale.key : undefined);
          await elapse(1);
          assert.equal(await ledger.bought(sale, sha256), undefined);
          assert.deepEqual(await passes(), OWNED.includes(state) ? [sale.key] : []);
          await ledger.refund(sale.key, `0x${sale.nonce}`);
          assert.deepEqual([await ledger.bought(sale, sha256), await passes()], [undefined, []]);
        });

      test('accepts a nonce of a payer once, also with 100 concurrent calls', async () => {
        const {payer} = newSale();
        const taken = await Promise.all(Array.from({length: 100}, () => ledger.signIn(payer, 'nonce')));
        assert.equal(taken.filter(Boolean).length, 1);
        assert.equal(await ledger.signIn(newSale().payer, 'nonce'), true);
      });

      test('starts no sale with an authorization that has collected a document', async () => {
        const [collecting, other] = [newSale(), newSale()];
        const paid = await started();
        const collected = async ({key}: {readonly key: string}) => (await ledger.find(key, paid)).collected;
        assert.equal(await collected(collecting), undefined);
        for (const sha256 of ['ab', 'cd'])
          await ledger.recordCollection({key: collecting.key, paymentId: 'its id', sale: paid.key, sha256});
        const {sale, sha256, paymentId} = (await collected(collecting)) ?? assert.fail();
        assert.deepEqual([sale.key, sale.state, sha256, paymentId], [paid.key, 'pending', 'cd', 'its id']);
        assert.deepEqual([await collected(paid), await collected(other)], [undefined, undefined]);
        assert.deepEqual([await ledger.start(collecting, ME), await ledger.start(other, ME)], [false, true]);
        const holder = async (key: string) => (await ledger.find(key, other, 'its id')).sameIdentifier?.key;
        assert.deepEqual([await holder(collecting.key), await holder('another')], [undefined, paid.key]);
        const repeated = [newSale({paymentId: 'its id'}), newSale({paymentId: 'another id'})];
        assert.deepEqual(await Promise.all(repeated.map(sale => ledger.start(sale, ME))), [false, true]);
      });

      test('forgets collections a day before the latest sale', async () => {
        const one = await backend.createStore();
        const own = await one.open();
        const [paid, old, recent] = [newSale(), newSale(), newSale()];
        await own.start(paid, ME);
        for (const {key} of [old, recent])
          await own.recordCollection({key, paymentId: null, sale: paid.key, sha256: 'ab'});
        await one.run(`UPDATE collections SET at = at - 86400000 - 60000 WHERE key = '${old.key}'`);
        await one.run(`UPDATE collections SET at = at - 86400000 + 60000 WHERE key = '${recent.key}'`);
        await own.prune();
        const found = await Promise.all(
          [old, recent].map(async ({key}) => (await own.find(key, paid)).collected?.sale.key),
        );
        assert.deepEqual(found, [undefined, paid.key]);
      });

      test('archives the parts of a document for as many days as the sale includes', async () => {
        const one = await backend.createStore();
        const archive = await one.open();
        const long = 'x'.repeat(1024 * 1024);
        const document = {url: 'https://former.example/api/v1/softfail3', sha256: 'aa'.repeat(32)};
        await archive.archive(document, 1, 'second', 1);
        assert.equal(await archive.archivedParts(document), 0);
        assert.equal(await archive.isArchived(document, 3), false);
        await archive.archive(document, 0, long, 1);
        await archive.archive(document, 0, 'other', 1);
        const parts = async () => [await archive.archivedPart(document, 0), await archive.archivedPart(document, 1)];
        assert.deepEqual(await parts(), [long, 'second']);
        assert.equal(await archive.archivedParts(document), 2);
        assert.equal((await archive.archivedPart(document, 2)) ?? undefined, undefined);
        assert.equal((await archive.archivedPart({...document, sha256: 'bb'.repeat(32)}, 0)) ?? undefined, undefined);
        await setTimeout(2);
        await archive.prune();
        const elapse = (days: number) =>
          one.run(`UPDATE documents SET archived_until = archived_until - ${days * 86_400_000}`);
        await elapse(2);
        assert.equal(await archive.isArchived(document, 3), true);
        await archive.prune();
        await elapse(2);
        // A shorter period of later sales does not shorten the archiving.
        await archive.isArchived(document, 0);
        await archive.prune();
        assert.deepEqual(await parts(), [long, 'second']);
        await elapse(2);
        await archive.prune();
        assert.deepEqual(await parts(), [long, 'second'], 'the clock may be wrong');
        await archive.start(newSale(), ME);
        await archive.prune();
        assert.equal(await archive.isArchived(document, 3), false);
      });

      test('keeps an archived document until the days of its latest buyer are over', async () => {
        const one = await backend.createStore();
        const archive = await one.open();
        const document = {url: 'https://former.example/api/v1/softfail3', sha256: 'aa'.repeat(32)};
        const isKept = async (days: number) => {
          await one.run(`UPDATE documents SET archived_until = archived_until - ${days * 86_400_000}`);
          await archive.start(newSale(), ME);
          await archive.prune();
          return (await archive.archivedParts(document)) === 1;
        };
        await archive.archive(document, 0, 'first', 3);
        assert.equal(await isKept(2), true);
        await archive.isArchived(document, 3);
        assert.deepEqual([await isKept(2), await isKept(2)], [true, false]);
      });

      test('prunes sales that were never paid a day after their authorization expired, and no others', async () => {
        const hoursAgo = (hours: number) => Math.floor(Date.now() / 1000) - hours * 3600;
        const sales = STATES.flatMap(state => [25, 23].map(hours => ({steps: MOVES_TO[state], state, hours})));
        const all = [...sales, {steps: ['settled', 'unpaid'], state: 'paid and then unpaid', hours: 25} as const];
        const recorded = await Promise.all(
          all.map(async ({steps, state, hours}) => {
            const sale = await started({validBefore: hoursAgo(hours)});
            for (const to of steps) assert.equal(await ledger.move(sale.key, ME, MOVES[to], true), true);
            return {sale, state, hours};
          }),
        );
        await ledger.pruneSales();
        const isPruned = async ({sale}: (typeof recorded)[number]) =>
          (await ledger.find(sale.key, sale)).same === undefined;
        for (const one of recorded)
          assert.equal(
            await isPruned(one),
            one.hours === 25 && ['declined', 'unpaid'].includes(one.state),
            `${one.state}, expired ${one.hours} hours ago`,
          );
      });

      test('reserves each nonce of a signer once, in order and from the nonce on the chain', async () => {
        const signer = {network: 'eip155:84532', address: newSale().payer};
        const reserved = await Promise.all(
          Array.from({length: 100}, (_, i) => ledger.reserveNonce(signer, `sale ${i}`, 7)),
        );
        assert.deepEqual(
          reserved.sort((a, b) => a - b),
          Array.from({length: 100}, (_, i) => i + 7),
        );
        assert.equal(await ledger.reserveNonce(signer, 'next', 0), 107);
        assert.equal(await ledger.reserveNonce(signer, 'behind others', 200), 200);
        assert.equal(await ledger.reserveNonce({...signer, network: 'eip155:8453'}, 'elsewhere', 0), 0);
      });

      test('stores the transactions that were signed with a nonce', async () => {
        const signer = {network: 'eip155:84532', address: newSale().payer};
        for (const key of ['one', 'other', 'one']) await ledger.reserveNonce(signer, key, 0);
        await ledger.addTransaction(signer, unused(1), '0x02aa', 1);
        await ledger.addTransaction(signer, unused(2), '0x02bb', 1);
        await ledger.addTransaction(signer, {nonce: 2, transactions: ['0x02bb']}, '0x02cc', 1);
        const all = await ledger.reservations(signer, {from: 0, limit: 3});
        assert.deepEqual(
          all.map(({nonce, sale: key, transactions: signed}) => [nonce, key, signed]),
          [
            [0, 'one', []],
            [1, 'other', ['0x02aa']],
            [2, 'one', ['0x02bb', '0x02cc']],
          ],
        );
        assert.ok(all.every(({age}) => Number.isInteger(age) && age >= 0 && age < 5000));
        assert.deepEqual(
          (await ledger.reservations(signer, {from: 1, limit: 3, sale: 'one'})).map(({nonce}) => nonce),
          [2],
        );
        assert.deepEqual(
          (await ledger.reservations(signer, {from: 1, limit: 1})).map(({nonce}) => nonce),
          [1],
        );
        await assert.rejects(ledger.addTransaction(signer, unused(3), '0x02dd', 1), /not reserved/);
      });

      test('adds a transaction only if the caller knows all that are recorded', async () => {
        const signer = {network: 'eip155:84532', address: newSale().payer};
        const nonce = await ledger.reserveNonce(signer, 'one', 0);
        const transactions = ['0x02aa', '0x02bb', '0x02cc'] as const;
        const outcomes = await Promise.allSettled(
          transactions.map(transaction => ledger.addTransaction(signer, unused(nonce), transaction, 1)),
        );
        const recorded = transactions.filter((_, index) => outcomes[index]?.status === 'fulfilled');
        const read = async () => (await ledger.reservations(signer, {from: 0, limit: 1}))[0]?.transactions;
        assert.deepEqual([recorded.length, await read()], [1, recorded]);
        const known = {nonce, transactions: recorded};
        await ledger.addTransaction(signer, known, '0x02dd', 1);
        await assert.rejects(ledger.addTransaction(signer, known, '0x02ee', 1), /used meanwhile/);
        await ledger.addTransaction(signer, {nonce, transactions: [...recorded, '0x02dd']}, '0x02ff', 1);
        assert.deepEqual(await read(), [...recorded, '0x02dd', '0x02ff']);
      });

      test('reserves no more for contract wallets at a time than their budget', async () => {
        const signer = {network: 'eip155:84532', address: newSale().payer};
        const sales = Array.from({length: 30}, () => newSale());
        for (const sale of sales) await ledger.start(sale, ME);
        const outcomes = await Promise.all(
          sales.map(({key, payer}) =>
            ledger.reserveContractNonce(signer, key, 0, {contract: payer, cost: 3, budget: 30}),
          ),
        );
        const reserved = outcomes.filter(outcome => typeof outcome === 'number');
        assert.deepEqual(
          reserved.sort((a, b) => a - b),
          Array.from({length: 10}, (_, nonce) => nonce),
        );
        assert.equal(outcomes.filter(outcome => outcome === 'over budget').length, 20);
        const spending = {contract: newSale().payer, cost: 1, budget: 30};
        assert.equal(await ledger.contractRefusal(signer, 'next', spending), 'over budget');
        assert.equal(await ledger.contractRefusal({...signer, address: '0x1'}, 'next', spending), null);
      });

      test('closes a contract wallet while a transaction for it has not paid', async () => {
        const signer = {network: 'eip155:84532', address: newSale().payer};
        const sale = await started();
        const spending = {contract: sale.payer, cost: 1, budget: 100};
        const nonce = await ledger.reserveContractNonce(signer, sale.key, 0, spending);
        const refusal = (key = 'next', asked = signer) => ledger.contractRefusal(asked, key, spending);
        assert.deepEqual([nonce, await refusal()], [0, 'in flight']);
        // The gas that the sale itself has reserved counts once.
        assert.equal(await ledger.contractRefusal(signer, sale.key, {...spending, budget: 1}), null);
        await ledger.move(sale.key, ME, {to: 'pending'});
        // Without a lease, a nonce without a transaction is never used for the payment, or only after another check.
        assert.equal(await refusal(), null);
        await ledger.lease(sale.key, ME, ['pending']);
        assert.equal(await ledger.reserveContractNonce(signer, 'next', 0, spending), 'in flight');
        await ledger.addTransaction(signer, unused(0), '0x02aa', 1);
        assert.equal(await refusal(), 'in flight');
        assert.equal(await ledger.reserveContractNonce(signer, 'next', 0, spending), 'in flight');
        await ledger.move(sale.key, ME, {to: 'pending'});
        assert.equal(await refusal(), 'reverted');
        assert.equal(await ledger.reserveContractNonce(signer, 'next', 0, spending), 'reverted');
        assert.equal(await refusal('next', {...signer, address: '0x1'}), 'reverted');
        assert.deepEqual(
          [await refusal(sale.key), await refusal('next', {...signer, network: 'eip155:1'})],
          [null, null],
        );
        await ledger.lease(sale.key, ME, ['pending']);
        await ledger.move(sale.key, ME, MOVES.settled);
        assert.equal(await refusal(), null);
      });

      test('closes a contract wallet for a day after any sale that its transaction did not pay', async () => {
        const one = await backend.createStore();
        const wallets = await one.open();
        const signer = {network: 'eip155:84532', address: newSale().payer};
        const spendings = new Map<State | 'pruned', ContractSpending>();
        for (const state of [...STATES, 'pruned'] as const) {
          const sale = newSale();
          const spending = {contract: sale.payer, cost: 1, budget: 100};
          await wallets.start(sale, ME);
          const nonce = await wallets.reserveContractNonce(signer, sale.key, 0, spending);
          await wallets.addTransaction(signer, unused(Number(nonce)), '0x02aa', 1);
          if (state === 'pruned') await wallets.withdraw(sale.key, ME);
          else for (const to of MOVES_TO[state]) await wallets.move(sale.key, ME, MOVES[to], true);
          await wallets.move(sale.key, ME, MOVES[state === 'pruned' ? 'pending' : state]);
          spendings.set(state, spending);
        }
        await one.run('UPDATE sales SET leased_until = 0');
        const closed = async () => {
          const refusals = [...spendings].map(async ([state, spending]) => {
            const refusal = await wallets.contractRefusal(signer, 'next', spending);
            assert.ok(refusal === null || refusal === 'reverted', `${state}: ${refusal}`);
            return refusal && state;
          });
          return (await Promise.all(refusals)).filter(state => state !== null);
        };
        const expected = [...STATES.filter(state => !['settled', 'delivered', 'expired'].includes(state)), 'pruned'];
        assert.deepEqual(await closed(), expected);
        await one.run('UPDATE transactions SET changed_at = changed_at - 86390000');
        assert.deepEqual(await closed(), expected);
        await one.run('UPDATE transactions SET changed_at = changed_at - 20000');
        assert.deepEqual(await closed(), []);
      });

      test('can be opened several times', async () => {
        const second = await store.open();
        const sale = await started();
        assert.equal(await second.start(sale, OTHER), false);
        assert.equal((await second.find(sale.key, sale)).same?.key, sale.key);
      });

      test('rejects if its tables are missing', async () => {
        const broken = await backend.createStore();
        const opened = await broken.open();
        await broken.run('DROP TABLE sales');
        const sale = newSale();
        await assert.rejects(opened.start(sale, ME), /sales/);
        await assert.rejects(opened.find(sale.key, sale), /sales/);
        await assert.rejects(opened.lease(sale.key, ME, STATES), /sales/);
        await assert.rejects(opened.renew(sale.key, ME), /sales/);
        await assert.rejects(opened.move(sale.key, ME, MOVES.settled), /sales/);
        await assert.rejects(opened.markFinal(sale.key), /sales/);
        await assert.rejects(opened.refund(sale.key, '0x1'), /sales/);
        await assert.rejects(opened.list({limit: 1}), /sales/);
        await broken.run('DROP TABLE transactions');
        const signer = {network: 'eip155:84532', address: sale.payer};
        await assert.rejects(opened.reserveNonce(signer, sale.key, 0), /transactions/);
        await assert.rejects(opened.addTransaction(signer, unused(0), '0x02', 1), /transactions/);
        await assert.rejects(opened.reservations(signer, {from: 0, limit: 1}), /transactions/);
      });
    });
}

function withoutReading({readAt, leasedUntil, ...sale}: Sale): Omit<Sale, 'readAt' | 'leasedUntil'> {
  assert.ok(leasedUntil > 0 && readAt > 0);
  return sale;
}

/** A reserved nonce without a transaction. */
function unused(nonce: number): SignedNonce {
  return {nonce, transactions: []};
}
