import assert from 'node:assert/strict';
import {test} from 'node:test';
import Connection from 'libsql';
import {databaseIn, METHODS, openDurableObject, type LedgerBinding} from '../../paywall/ledger/object-ledger.ts';
import {migrate} from '../../paywall/ledger/schema.ts';
import {SqlLedger} from '../../paywall/ledger/sql-ledger.ts';
import {newSale} from './new-sale.ts';

/** The storage of a Durable Object, as far as a ledger uses it. */
function storageOf() {
  const connection = new Connection(':memory:');
  const transactions = {count: 0};
  const storage = {
    sql: {
      exec(sql: string, ...values: unknown[]) {
        assert.ok(sql.split('UNION').length <= 5, 'a Durable Object accepts at most five terms');
        return {toArray: () => connection.prepare(sql).all(...values)};
      },
    },
    transaction<T>(work: () => T) {
      transactions.count += 1;
      return work();
    },
  };
  return {storage: storage as unknown as Parameters<typeof databaseIn>[0], transactions};
}

test('a Durable Object holds a ledger in its storage', async () => {
  const {storage, transactions} = storageOf();
  const database = databaseIn(storage);
  await migrate(database);
  assert.equal(transactions.count, 1);
  const ledger = new SqlLedger(database);
  const [sale, before] = [newSale(), Date.now()];
  assert.equal(await ledger.start(sale, 'me'), true);
  const {same} = await ledger.find(sale.key, sale, 'an idempotency key');
  assert.ok(same && same.startedAt >= before - 1 && same.startedAt <= Date.now() + 1, 'not in milliseconds');
  await ledger.move(sale.key, 'me', {to: 'settled', transaction: '0x1'});
  assert.equal(await ledger.refund(sale.key, '0x2'), true);
  assert.equal(transactions.count, 2);
  await assert.rejects(database.query('SELECT * FROM nothing'), /nothing/);
  await ledger.close();
});

test('all isolates call one object, each time with its own stub', async () => {
  const calls: unknown[][] = [];
  let stubs = 0;
  const binding = {
    idFromName: (name: string) => `the object ${name}`,
    get(id: string) {
      stubs += 1;
      return {renew: (...args: unknown[]) => Promise.resolve(calls.push([id, ...args]) > 0)};
    },
  };
  const ledger = openDurableObject(binding as unknown as LedgerBinding);
  assert.equal(await ledger.renew('a sale', 'me'), true);
  assert.equal(await ledger.renew('a sale', 'me'), true);
  assert.deepEqual([calls, stubs], [Array(2).fill(['the object sales', 'a sale', 'me']), 2]);
  // A method that the object lacks rejects, and does not throw.
  await assert.rejects(ledger.pruneSales(), TypeError);
  await ledger.close();
});

test('other isolates may call the methods of a ledger, and may not close it', () => {
  for (const name of ['start', 'bought', 'reserveNonce'] as const) assert.ok(METHODS.includes(name), name);
  for (const name of ['constructor', 'close']) assert.ok(!(METHODS as string[]).includes(name), name);
});
