import assert from 'node:assert/strict';
import {test} from 'node:test';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {counts} from './counts.ts';

test('a ledger in SQLite counts its sales and can be probed repeatedly', async () => {
  const ledger = await openSqlite(':memory:');
  await counts(ledger);
  await ledger.close();
  await assert.rejects(ledger.probe());
});
