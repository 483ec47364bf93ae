import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {$} from 'zx';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {newSale} from './new-sale.ts';
import {startPostgres} from './postgres-server.ts';

const quiet = $({quiet: true});
const skip = spawnSync('which', ['sqlite3']).status === 0 ? false : 'this system has no sqlite3';

for (const how of ['.backup', 'VACUUM INTO'])
  test(`a copy of a SQLite file with ${how} has all earlier sales, while new sales continue`, {skip}, async () => {
    const root = await mkdtemp(join(tmpdir(), 'backup-'));
    const ledger = await openLedger(root);
    const before = await startSales(ledger, 5);
    const copy = join(root, 'copy.db');
    const command = how === '.backup' ? `.backup '${copy}'` : `VACUUM INTO '${copy}'`;
    const [during] = await Promise.all([
      startSales(ledger, 50),
      quiet`sqlite3 ${join(root, 'ledger/sales.db')} ${command}`,
    ]);
    const restored = await openLedger(root, copy);
    await assertHolds(restored, before, [...before, ...during]);
    await restored.close();
    await ledger.close();
    await rm(root, {recursive: true});
  });

test('a copy of a Postgres database with pg_dump has all earlier sales, while new sales continue', async () => {
  await using postgres = await startPostgres();
  const [url, copy] = [await postgres.makeDatabase(), await postgres.makeDatabase()];
  const ledger = await openLedger('.', url);
  const before = await startSales(ledger, 5);
  const dump = quiet`pg_dump --no-owner ${url}`.pipe(quiet`psql --quiet --set ON_ERROR_STOP=1 ${copy}`);
  const [during] = await Promise.all([startSales(ledger, 50), dump]);
  const restored = await openLedger('.', copy);
  await assertHolds(restored, before, [...before, ...during]);
  await restored.close();
  await ledger.close();
});

/** Starts this many sales and returns their keys. */
async function startSales(ledger: Ledger, count: number): Promise<string[]> {
  const sales = Array.from({length: count}, () => newSale());
  for (const sale of sales) assert.equal(await ledger.start(sale, 'me'), true);
  return sales.map(({key}) => key);
}

/** Asserts that a ledger works, has all sales of `must`, and has only sales of `may`. */
async function assertHolds(ledger: Ledger, must: readonly string[], may: readonly string[]): Promise<void> {
  const keys = new Set((await ledger.list({limit: 1000})).map(({key}) => key));
  assert.deepEqual(
    must.filter(key => !keys.has(key)),
    [],
  );
  assert.deepEqual(
    [...keys].filter(key => !may.includes(key)),
    [],
  );
  assert.equal(await ledger.start(newSale(), 'me'), true);
}
