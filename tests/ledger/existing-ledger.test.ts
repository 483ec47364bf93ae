import assert from 'node:assert/strict';
import {access, mkdtemp, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, beforeEach, describe, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import Connection from 'libsql';
import {openExistingLedger} from '../../paywall/ledger/existing-ledger.ts';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {versions} from '../../paywall/ledger/schema.ts';
import {newSale} from './new-sale.ts';

describe('the ledger of a gate', () => {
  const roots: string[] = [];
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'existing-ledger-'));
    roots.push(root);
  });
  after(() => Promise.all(roots.map(folder => rm(folder, {recursive: true}))));

  /** Starts a sale in a ledger, as a gate does. */
  async function sell(address?: string): Promise<void> {
    const ledger = await openLedger(root, address);
    await ledger.start(newSale(), 'a gate');
    await ledger.close();
  }

  /** Runs statements in the file of the ledger. */
  function run(...statements: readonly string[]): void {
    const connection = new Connection(join(root, 'a.db'));
    for (const statement of statements) connection.exec(statement);
    connection.close();
  }

  async function refused(
    address: string | undefined,
    reason: RegExp,
    shown = address ?? 'ledger/sales.db',
    isCaused = false,
  ): Promise<void> {
    await assert.rejects(openExistingLedger(root, address), (error: Error & {code?: string}) => {
      assert.equal(error.code, 'FZ505');
      assert.ok(error.cause instanceof Error);
      assert.equal(error.cause.cause instanceof Error, isCaused);
      assert.ok(error.message.startsWith(`The ledger ${shown} cannot be opened: `), error.message);
      assert.match(error.message.slice(`The ledger ${shown} cannot be opened: `.length), reason);
      return true;
    });
  }

  for (const [what, address] of [
    ['its usual place', () => undefined],
    ['a file', () => 'a.db'],
    ['an absolute file', () => join(root, 'b.db')],
    ['a URL', () => pathToFileURL(join(root, 'c.db')).href],
    ['a file with the name of a database server', () => 'my postgres:db'],
  ] as const)
    test(`is read in ${what}`, async () => {
      await sell(address());
      const ledger = await openExistingLedger(root, address());
      assert.equal((await ledger.list({limit: 9})).length, 1);
      await ledger.close();
    });

  test('is not created', async () => {
    for (const address of [undefined, 'a.db']) {
      await refused(address, /^it does not exist$/, undefined, true);
      await assert.rejects(access(join(root, address ?? 'ledger')));
    }
  });

  test('is not read without a right to its folder', async () => {
    await writeFile(join(root, 'a.db'), '');
    await refused('a.db/b.db', /^ENOTDIR: /);
  });

  test('is not another file or database', async () => {
    await writeFile(join(root, 'a.db'), 'some text that is longer than a header'.repeat(9));
    await refused('a.db', /not a database/);
    await rm(join(root, 'a.db'));
    run('CREATE TABLE sales (key TEXT)');
    await refused('a.db', /^it is not a ledger$/, undefined, true);
    await refused('.', /^it is a folder$/);
  });

  for (const [version, remedy] of [
    [versions.length - 1, 'start a gate with this program to migrate it'],
    [versions.length + 1, 'use a newer program'],
  ] as const)
    test(`has this program's version: not ${version}`, async () => {
      await sell('a.db');
      run(`UPDATE ledger_version SET version = ${version}`);
      await refused(
        'a.db',
        new RegExp(`^it has version ${version}, and this program reads version ${versions.length}: ${remedy}$`),
      );
    });

  test('has a version, and is closed if it has none', async t => {
    await sell('a.db');
    run('DELETE FROM ledger_version');
    const closed = t.mock.method(Connection.prototype, 'close');
    await refused('a.db', /^it has version 0, /);
    assert.equal(closed.mock.callCount(), 1);
  });

  for (const scheme of ['postgres', 'postgresql', 'POSTGRES'])
    test(`may be in Postgres, and its password is not shown: ${scheme}`, () =>
      refused(
        `${scheme}://me:secret@127.0.0.1:1/sales`,
        /ECONNREFUSED 127\.0\.0\.1:1$/,
        `${scheme.toLowerCase()}://127.0.0.1:1/sales`,
      ));

  test('is closed without writing its log into the file, for which the gate would wait', async t => {
    const gate = await openLedger(root, 'a.db');
    await gate.start(newSale(), 'a gate');
    const log = await stat(join(root, 'a.db-wal'));
    assert.ok(log.size > 0);
    const ledger = await openExistingLedger(root, 'a.db');
    assert.equal((await ledger.list({limit: 9})).length, 1);
    const closed = t.mock.method(Connection.prototype, 'close');
    await ledger.close();
    assert.equal((await stat(join(root, 'a.db-wal'))).size, log.size);
    assert.equal(closed.mock.callCount(), 1);
    await gate.close();
  });
});
