import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {setTimeout} from 'node:timers/promises';
import Connection from 'libsql';
import {databaseOn} from '../../paywall/ledger/sqlite.ts';

test('other processes see a committed write while another statement waits for a lock', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-'));
  const file = join(folder, 'a.db');
  const other = new Connection(file);
  other.exec('PRAGMA journal_mode = WAL');
  other.exec('CREATE TABLE sales (key TEXT)');
  const {query, close} = databaseOn(new Connection(file));
  const seen = () => other.prepare('SELECT key FROM sales').pluck().all();
  other.exec('BEGIN IMMEDIATE');
  other.exec(`INSERT INTO sales VALUES ('another process')`);
  const waiting = query(`INSERT INTO sales VALUES ('waiting') RETURNING key`);
  await setTimeout(20); // now the statement has found the file locked
  other.exec('COMMIT');
  await query(`INSERT INTO sales VALUES (?)`, ['written']);
  assert.ok(seen().includes('written'));
  await waiting;
  assert.ok(seen().includes('waiting'));
  await close();
  other.close();
  await rm(folder, {recursive: true});
});
