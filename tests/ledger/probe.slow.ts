import assert from 'node:assert/strict';
import {test} from 'node:test';
import {openPostgres} from '../../paywall/ledger/postgres.ts';
import {counts} from './counts.ts';
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
