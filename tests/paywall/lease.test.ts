import assert from 'node:assert/strict';
import {describe, test, type TestContext} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {install} from '@sinonjs/fake-timers';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import type {Move} from '../../paywall/ledger/sale.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {Lease} from '../../paywall/payments/sales/lease.ts';
import {newSale} from '../ledger/new-sale.ts';

const SLOW_MS = 300;

test('a purchase after a delivery is not treated as an older request, however long the ledger takes to record the delivery', async () => {
  const ledger = await openSqlite(':memory:');
  const move = ledger.move.bind(ledger);
  ledger.move = async (...args) => {
    await sleep(SLOW_MS);
    return move(...args);
  };
  for (const isCollected of [false, true]) {
    const sale = newSale();
    let lease = await Lease.start(ledger, sale, performance.now());
    if (isCollected) {
      await lease?.moveAndRelease({to: 'pending'});
      lease = await Lease.take(ledger, sale.key, ['pending']);
    }
    assert.ok(lease);
    const delivered = lease.sent('delivered');
    await sleep(50);
    const arrivedAt = performance.now();
    await delivered;
    const next = await Lease.start(ledger, newSale({payer: sale.payer, url: sale.url}), arrivedAt);
    assert.ok(next);
    next.drop();
    // A request that was already waiting when the document was sent is treated differently.
    await next.withdraw();
    assert.equal(
      await Lease.start(ledger, newSale({payer: sale.payer, url: sale.url}), performance.now() - 10_000),
      undefined,
    );
  }
  await ledger.close();
});

test('a purchase after a delivery is not treated as an older request, however long the ledger takes to record either sale', async () => {
  for (const [before, after] of [
    [SLOW_MS, 0],
    [0, SLOW_MS],
  ] as const) {
    const ledger = await openSqlite(':memory:');
    const start = ledger.start.bind(ledger);
    ledger.start = async (...args) => {
      await sleep(before);
      const isStarted = await start(...args);
      await sleep(after);
      return isStarted;
    };
    const sale = newSale();
    const lease = await Lease.start(ledger, sale, performance.now());
    assert.ok(lease);
    const delivered = lease.sent('delivered');
    await sleep(20);
    const next = await Lease.start(ledger, newSale({payer: sale.payer, url: sale.url}), performance.now());
    assert.ok(next, `${before} ms before, ${after} ms after`);
    next.drop();
    await delivered;
    await ledger.close();
  }
});

test('a request that is older than a delivery starts no sale, however long the ledger takes to start it', async () => {
  const ledger = await openSqlite(':memory:');
  const sale = newSale();
  const arrivedAt = performance.now();
  const lease = await Lease.start(ledger, sale, arrivedAt);
  await sleep(50);
  await lease?.sent('delivered');
  const start = ledger.start.bind(ledger);
  ledger.start = async (...args) => {
    await sleep(SLOW_MS);
    return start(...args);
  };
  assert.equal(await Lease.start(ledger, newSale({payer: sale.payer, url: sale.url}), arrivedAt), undefined);
  const ofAnother = await Lease.start(ledger, newSale(), arrivedAt);
  assert.ok(ofAnother);
  ofAnother.drop();
  await ledger.close();
});

test('a delivery in the same millisecond as the arrival of a request counts as later', async t => {
  const ledger = await openSqlite(':memory:');
  t.mock.method(performance, 'now', () => 1_000);
  const asked = t.mock.method(ledger, 'start');
  const lease = await Lease.start(ledger, newSale(), 1_000);
  lease?.drop();
  // A quick call may take two milliseconds, and the ledger adds two times without their fractions.
  assert.equal(asked.mock.calls[0]?.arguments[2], 4);
  await ledger.close();
});

describe('a lease with a virtual clock', () => {
  test('records a settlement after 20 ms, and keeps it leased', async t => {
    const {clock, lease, moves} = await leased(t);
    const written = lease.settledBy('0x1');
    await clock.tickAsync(19);
    assert.deepEqual(moves, []);
    await clock.tickAsync(1);
    await written;
    assert.deepEqual(moves, [[{to: 'settled', transaction: '0x1'}, true]]);
    await clock.tickAsync(100);
    await lease.sent('delivered');
    assert.deepEqual(moves[1], [{to: 'delivered', transaction: '0x1', sentAfterMs: 120}, false]);
  });

  for (const [sending, move] of [
    ['delivered', {to: 'delivered', transaction: '0x1', sentAfterMs: 5}],
    ['unknown', {to: 'settled', transaction: '0x1', sentAfterMs: 5}],
    ['cut off', {to: 'settled', transaction: '0x1'}],
  ] as const)
    test(`records settlement and sending at once if the document is sent before: ${sending}`, async t => {
      const {clock, lease, moves} = await leased(t);
      const written = lease.settledBy('0x1');
      await clock.tickAsync(5);
      await lease.sent(sending);
      await clock.tickAsync(100);
      await written;
      assert.deepEqual(moves, [[move, false]]);
    });

  test('waits for a settlement that is being recorded', async t => {
    const {clock, lease, moves, ledger} = await leased(t);
    const move = ledger.move.bind(ledger);
    ledger.move = async (...args) => {
      await new Promise(resolve => setTimeout(resolve, args[3] ? 1_000 : 0));
      return move(...args);
    };
    void lease.settledBy('0x1');
    await clock.tickAsync(30);
    const sent = lease.sent('delivered');
    await clock.tickAsync(2_000);
    await sent;
    assert.deepEqual(
      moves.map(([{to}]) => to),
      ['settled', 'delivered'],
    );
  });

  for (const renew of [() => Promise.resolve(false), () => Promise.reject(new Error('the disk is full'))])
    test(`settles nothing once another process may have leased the sale: ${String(renew)}`, async t => {
      const {clock, lease, ledger} = await leased(t);
      ledger.renew = renew;
      await clock.tickAsync(10_000);
      void lease.settledBy('0x1');
      await clock.tickAsync(1);
      assert.throws(() => lease.settledBy('0x2'), /another process may have leased the sale eip155/);
      lease.drop();
    });

  test('is renewed four times in its time, also after a failure', async t => {
    const {clock, lease, ledger, renewed} = await leased(t);
    await clock.tickAsync(2_499);
    assert.equal(renewed.calls, 0);
    await clock.tickAsync(1);
    assert.equal(renewed.calls, 1);
    const renew = ledger.renew.bind(ledger);
    ledger.renew = () => Promise.reject(new Error('the disk is full'));
    await clock.tickAsync(7_500);
    ledger.renew = renew;
    await clock.tickAsync(2_500);
    assert.equal(renewed.calls, 2);
    void lease.settledBy('0x1');
    lease.drop();
    await clock.tickAsync(60_000);
    assert.equal(renewed.calls, 2);
  });

  test('tries to write for ten seconds if the ledger fails', async t => {
    const {clock, lease, ledger} = await leased(t);
    let tries = 0;
    ledger.move = () => {
      tries += 1;
      return Promise.reject(new Error('the disk is full'));
    };
    const outcome = Promise.allSettled([lease.moveAndRelease({to: 'pending'})]);
    await clock.tickAsync(250);
    assert.equal(tries, 2);
    await clock.tickAsync(9_750);
    assert.equal(tries, 41);
    await clock.tickAsync(60_000);
    assert.equal(tries, 42);
    assert.match((await outcome)[0].status, /rejected/);
  });

  test('a settlement that cannot be recorded does not stop the gate', async t => {
    const {clock, lease, ledger} = await leased(t);
    ledger.move = () => Promise.reject(new Error('the disk is full'));
    const written = lease.settledBy('0x1');
    await clock.tickAsync(60_000);
    await written;
    lease.drop();
  });

  for (const [what, ms, found, asked, isStarted] of [
    ['is not asked about deliveries by a quick ledger', 1, [], 0, true],
    ['is asked about deliveries by a slow ledger', 2, [[0, false]], 1, true],
    ['starts no sale after a delivery', 2, [[0, true]], 1, false],
    ['starts no sale if a slow ledger does not say', 2, [[0, new Error('the disk is full')]], 1, false],
    [
      'is asked again if the answer is slow',
      2,
      [
        [2, false],
        [1, true],
      ],
      2,
      false,
    ],
    ['is asked five times if all answers are slow', 2, Array(9).fill([2, false]), 5, true],
  ] as [string, number, [number, boolean | Error][], number, boolean][])
    test(`a request ${what}`, async t => {
      const {clock, ledger, lease: other} = await leased(t);
      other.drop();
      const after = async <T>(ms: number, value: T) => {
        if (ms > 0) await new Promise(resolve => setTimeout(resolve, ms));
        return value;
      };
      const withdrawn: unknown[][] = [];
      const times: number[] = [];
      const sale = newSale();
      ledger.start = () => after(ms, true);
      ledger.withdraw = (...args) => after(0, void withdrawn.push(args));
      ledger.isRepeated = (key, withinMs) => {
        assert.equal(key, sale.key);
        times.push(withinMs);
        const [pause, result] = found[times.length - 1] ?? assert.fail();
        return result instanceof Error ? Promise.reject(result) : after(pause, result);
      };
      const starting = Lease.start(ledger, sale, performance.now() - 10);
      await clock.tickAsync(100);
      const lease = await starting;
      lease?.drop();
      assert.equal(lease !== undefined, isStarted);
      assert.equal(withdrawn.length, isStarted ? 0 : 1);
      // Since the request arrived, and four more, by which a quick call and the times in the ledger can be wrong.
      assert.deepEqual(times, [16, 18, 20, 22, 24].slice(0, asked));
    });

  test('is renewed while a slow ledger is asked about deliveries', async t => {
    const {clock, ledger, lease: other, renewed} = await leased(t);
    other.drop();
    ledger.start = () => new Promise(resolve => setTimeout(resolve, 2, true));
    ledger.isRepeated = () => new Promise(resolve => setTimeout(resolve, 20_000, false));
    const starting = Lease.start(ledger, newSale(), performance.now());
    await clock.tickAsync(19_000);
    assert.ok(renewed.calls >= 7);
    await clock.tickAsync(100_000);
    (await starting)?.drop();
  });

  /** Leases a new sale in a ledger that only records its calls. */
  async function leased(t: TestContext) {
    const clock = install({toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance']});
    t.after(() => {
      clock.uninstall();
    });
    const moves: [move: Move, keepLease: boolean][] = [];
    const renewed = {calls: 0};
    const ledger = {
      start: () => Promise.resolve(true),
      move: (_key: string, _holder: string, move: Move, keep: boolean) => Promise.resolve(moves.push([move, keep]) > 0),
      renew: () => Promise.resolve((renewed.calls += 1) > 0),
    } as unknown as Ledger; // other methods are not called
    const lease = await Lease.start(ledger, newSale(), performance.now());
    assert.ok(lease);
    return {clock, ledger, lease, moves, renewed};
  }
});
