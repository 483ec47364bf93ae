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
    const slowly = delayed(ledger, 'start', before, after);
    const sale = newSale();
    const lease = await Lease.start(slowly, sale, performance.now());
    assert.ok(lease);
    const delivered = lease.sent('delivered');
    await sleep(20);
    const next = await Lease.start(slowly, newSale({payer: sale.payer, url: sale.url}), performance.now());
    assert.ok(next, `${before} ms before, ${after} ms after`);
    next.drop();
    await delivered;
    await ledger.close();
  }
});

for (const slow of ['time', 'start'] as const)
  test(`a request that is older than a delivery starts no sale, however long the ledger takes: ${slow}`, async () => {
    const ledger = await openSqlite(':memory:');
    const sale = newSale();
    const arrivedAt = performance.now();
    const lease = await Lease.start(ledger, sale, arrivedAt);
    await sleep(50);
    await lease?.sent('delivered');
    for (const late of ['before', 'after']) {
      const slowly = late === 'before' ? delayed(ledger, slow, SLOW_MS, 0) : delayed(ledger, slow, 0, SLOW_MS);
      assert.equal(await Lease.start(slowly, newSale({payer: sale.payer, url: sale.url}), arrivedAt), undefined);
      const ofAnother = await Lease.start(slowly, newSale(), arrivedAt);
      assert.ok(ofAnother);
      ofAnother.drop();
    }
    await ledger.close();
  });

test('a delivery that is recorded two milliseconds before the arrival of a request may have been later', async t => {
  const ledger = await openSqlite(':memory:');
  t.mock.method(performance, 'now', () => 1_000);
  t.mock.method(ledger, 'time', () => Promise.resolve(5_000));
  const asked = t.mock.method(ledger, 'start');
  const lease = await Lease.start(ledger, newSale(), 990.5);
  lease?.drop();
  assert.equal(asked.mock.calls[0]?.arguments[2], 5_000 - 10 - 2);
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

  /** Leases a new sale in a ledger that only records its calls. */
  async function leased(t: TestContext) {
    const clock = install({toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance']});
    t.after(() => {
      clock.uninstall();
    });
    const moves: [move: Move, keepLease: boolean][] = [];
    const renewed = {calls: 0};
    const ledger = {
      time: () => Promise.resolve(0),
      start: () => Promise.resolve(true),
      move: (_key: string, _holder: string, move: Move, keep: boolean) => Promise.resolve(moves.push([move, keep]) > 0),
      renew: () => Promise.resolve((renewed.calls += 1) > 0),
    } as unknown as Ledger; // other methods are not called
    const lease = await Lease.start(ledger, newSale(), performance.now());
    assert.ok(lease);
    return {clock, ledger, lease, moves, renewed};
  }
});

/** A ledger with one method that waits before and after its work. */
function delayed(ledger: Ledger, name: 'time' | 'start', before: number, after: number): Ledger {
  const method = ledger[name].bind(ledger) as (...args: unknown[]) => Promise<unknown>;
  return new Proxy(ledger, {
    get: (target, key) =>
      key === name
        ? async (...args: unknown[]) => {
            await sleep(before);
            const result = await method(...args);
            await sleep(after);
            return result;
          }
        : (target[key as keyof Ledger] as (...args: never[]) => unknown).bind(target),
  });
}
