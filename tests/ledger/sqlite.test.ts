import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdtemp, rename, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {setTimeout} from 'node:timers/promises';
import {promisify} from 'node:util';
import Connection from 'libsql';
import {databaseOn, openSqlite} from '../../paywall/ledger/sqlite.ts';
import {PROJECT} from '../project.ts';
import {newSale} from './new-sale.ts';

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
  const waiting = query(`INSERT INTO sales SELECT 'waiting' RETURNING key`);
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

test('another process does not remove the log of a ledger that this process opened twice', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-'));
  const file = join(folder, 'a.db');
  const ledgers = [await openSqlite(file), await openSqlite(file)] as const;
  await ledgers[0].start(newSale(), 'me');
  const {ino} = await stat(`${file}-wal`);
  const read = `const ledger = new (require('libsql'))(${JSON.stringify(file)});
    ledger.prepare('SELECT count(*) FROM sales').all();
    ledger.close();`;
  await promisify(execFile)(process.execPath, ['-e', read], {cwd: PROJECT});
  assert.equal((await stat(`${file}-wal`)).ino, ino);
  for (const ledger of ledgers) await ledger.close();
  await rm(folder, {recursive: true});
});

for (const removed of [['-wal'], ['-wal', '-shm']])
  test(`a ledger loses nothing if its files ${removed.join(' and ')} are removed`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sqlite-'));
    const file = join(folder, 'a.db');
    const ledger = await openSqlite(file);
    const sales = [newSale(), newSale(), newSale()] as const;
    await ledger.start(sales[0], 'me');
    for (const end of removed) await rm(file + end);
    // Both find out at the same time that the log is missing.
    await Promise.all([ledger.start(sales[1], 'me'), ledger.start(sales[2], 'me')]);
    const other = await openSqlite(file);
    assert.equal((await other.list({limit: 9})).length, 3);
    await other.close();
    await ledger.close();
    // Closing writes the log into the file.
    assert.equal((await stat(`${file}-wal`)).size, 0);
    await rm(folder, {recursive: true});
  });

test('a ledger rejects calls if its file is removed, until there is another one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-'));
  const file = join(folder, 'a.db');
  const ledger = await openSqlite(file);
  await ledger.start(newSale(), 'me');
  await rename(file, `${file}.moved`);
  await assert.rejects(ledger.list({limit: 9}), /ENOENT/);
  await assert.rejects(ledger.refund('a sale', '0x1'), /ENOENT/);
  await rename(`${file}.moved`, file);
  assert.equal((await ledger.list({limit: 9})).length, 1);
  await ledger.close();
  await rm(folder, {recursive: true});
});

test('a ledger continues with the new file if its file is replaced by another ledger', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-'));
  const [file, next] = [join(folder, 'a.db'), join(folder, 'b.db')];
  const ledger = await openSqlite(file);
  for (const sales of [1, 2, 3]) {
    const replacing = await openSqlite(next);
    for (let sale = 0; sale < sales; sale++) await replacing.start(newSale(), 'me');
    await replacing.close();
    await rename(next, file);
    assert.equal((await ledger.list({limit: 9})).length, sales);
    await writeFile(next, 'not a database'.repeat(99));
    await rename(next, file);
    await assert.rejects(ledger.list({limit: 9}), /not a database/);
  }
  await ledger.close();
  await rm(folder, {recursive: true});
});

test('a ledger in memory has no file', async () => {
  const ledger = await openSqlite(':memory:');
  await ledger.start(newSale(), 'me');
  await assert.rejects(stat(':memory:'), {code: 'ENOENT'});
  await ledger.close();
});

test('a statement waits while another process recovers the file after a crash', async t => {
  const connection = new Connection(':memory:');
  const busy = new Connection.SqliteError('database is locked', 'SQLITE_BUSY_RECOVERY', 261);
  const prepared = t.mock.method(connection, 'prepare');
  prepared.mock.mockImplementationOnce(() => {
    throw busy;
  });
  assert.deepEqual(await databaseOn(connection).query('SELECT 1 AS one'), [{one: 1}]);
  connection.close();
});

test('a statement waits five seconds for the writes of other processes', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-'));
  const file = join(folder, 'a.db');
  const ledger = await openSqlite(file);
  const other = new Connection(file);
  other.exec('BEGIN IMMEDIATE');
  let now = 1_000;
  const asked = t.mock.method(performance, 'now', () => (now += 1_000));
  await assert.rejects(ledger.start(newSale(), 'me'), {code: 'SQLITE_BUSY'});
  assert.equal(asked.mock.callCount(), 7);
  // Reads do not wait.
  assert.deepEqual(await ledger.list({limit: 9}), []);
  other.exec('ROLLBACK');
  // Other errors are not tried again.
  asked.mock.resetCalls();
  await assert.rejects(databaseOn(other).query('SELECT * FROM nothing'), /nothing/);
  assert.equal(asked.mock.callCount(), 1);
  asked.mock.restore();
  assert.equal(await ledger.start(newSale(), 'me'), true);
  other.close();
  await ledger.close();
  await rm(folder, {recursive: true});
});
