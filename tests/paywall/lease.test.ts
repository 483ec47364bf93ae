import assert from 'node:assert/strict';
import {test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {Lease} from '../../paywall/payments/sales/lease.ts';
import {newSale} from '../ledger/new-sale.ts';

const SLOW_MS = 300;

test('a purchase after a delivery is not taken for an older request, however long the ledger takes to record the delivery', async () => {
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
    // A request that was waiting already when the document was sent is another matter.
    await next.withdraw();
    assert.equal(
      await Lease.start(ledger, newSale({payer: sale.payer, url: sale.url}), performance.now() - 10_000),
      undefined,
    );
  }
  await ledger.close();
});

test('a purchase after a delivery is not taken for an older request, however long the ledger takes to record either sale', async () => {
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
  assert.equal(asked.mock.calls[0]?.arguments[2], 1);
  await ledger.close();
});
