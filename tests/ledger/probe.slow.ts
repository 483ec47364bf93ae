import assert from 'node:assert/strict';
import {test} from 'node:test';
import {openPostgres} from '../../paywall/ledger/postgres.ts';
import type {SqlLedger} from '../../paywall/ledger/sql-ledger.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {newSale} from './new-sale.ts';
import {startPostgres} from './postgres-server.ts';

test('a ledger in Postgres counts its sales, and its probe fails while it cannot be written', async () => {
  await using postgres = await startPostgres();
  const ledger = await openPostgres(await postgres.makeDatabase());
  await counts(ledger);
  await postgres.stop();
  await assert.rejects(ledger.probe());
  await postgres.start();
  await ledger.probe();
  await ledger.close();
});

test('a ledger in SQLite counts its sales and can be probed repeatedly', async () => {
  const ledger = await openSqlite(':memory:');
  await counts(ledger);
  await ledger.close();
});

async function counts(ledger: SqlLedger): Promise<void> {
  await Promise.all([ledger.probe(), ledger.probe()]);
  const [settled, ...others] = [newSale(), newSale(), newSale()];
  for (const sale of [settled, ...others]) await ledger.start(sale, 'me');
  await ledger.move(settled.key, 'me', {to: 'settled', transaction: ''});
  assert.deepEqual(
    [await ledger.count(['settled']), await ledger.count(['pending', 'settled']), await ledger.count(['delivered'])],
    [1, 3, 0],
  );
}
