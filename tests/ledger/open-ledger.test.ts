import assert from 'node:assert/strict';
import {mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, beforeEach, describe, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {SiteError} from '../../paywall/site/site-error.ts';
import {newSale} from './new-sale.ts';

describe('the ledger of a site', () => {
  const roots: string[] = [];
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'open ledger-'));
    roots.push(root);
  });
  after(() => Promise.all(roots.map(folder => rm(folder, {recursive: true}))));

  /** Opens the ledger of the site and starts a sale in it. */
  async function use(address?: string): Promise<void> {
    const ledger = await openLedger(root, address);
    assert.equal(await ledger.start(newSale(), 'me'), true);
    await ledger.close();
  }

  /** Returns the files in a folder, without the logs of SQLite. */
  async function filesIn(folder: string): Promise<string[]> {
    return (await readdir(folder)).filter(name => !/-(shm|wal)$/.test(name));
  }

  test('without an address the ledger is in ledger/, readable only by its owner and ignored by Git', async () => {
    await use();
    await use();
    const folder = join(root, 'ledger');
    assert.deepEqual(await filesIn(folder), ['.gitignore', 'sales.db']);
    assert.equal(await readFile(join(folder, '.gitignore'), 'utf8'), '*\n');
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    assert.equal((await stat(join(folder, 'sales.db'))).mode & 0o777, 0o600);
  });

  test('the logs of SQLite are readable only by their owner, too', async () => {
    const ledger = await openLedger(root);
    for (const file of await readdir(join(root, 'ledger')))
      if (file.startsWith('sales.db')) assert.equal((await stat(join(root, 'ledger', file))).mode & 0o777, 0o600, file);
    await ledger.close();
  });

  test('an existing folder is not changed', async () => {
    await mkdir(join(root, 'ledger'), {mode: 0o750});
    await use();
    assert.deepEqual(await filesIn(join(root, 'ledger')), ['sales.db']);
    assert.equal((await stat(join(root, 'ledger'))).mode & 0o777, 0o750);
  });

  for (const [how, address] of [
    ['a path', () => join(root, 'my sales.db')],
    ['a path from the root', () => 'my sales.db'],
    ['file: and a path', () => pathToFileURL(join(root, 'my sales.db')).href],
    ['file: and a path from the root', () => 'file:my%20sales.db'],
  ] as const)
    test(`${how} opens a file`, async () => {
      await use(address());
      assert.deepEqual(await filesIn(root), ['my sales.db']);
    });

  test('a path may contain what begins other addresses', async () => {
    const names = ['my :memory:sales.db', 'my file:sales.db', 'my postgres:sales.db'];
    for (const name of names) await use(name);
    assert.deepEqual(await filesIn(root), names);
  });

  test('a site that does not exist gets no ledger', async () => {
    const missing = join(root, 'missing');
    await assert.rejects(openLedger(missing), (error: SiteError) => {
      assert.match(error.message, /ENOENT: no such file or directory, mkdir/);
      assert.ok(error.code === 'FZ505' && error.cause instanceof Error);
      return true;
    });
  });

  test('an empty address counts as no address', async () => {
    await use('');
    assert.deepEqual(await filesIn(root), ['ledger']);
  });

  for (const [address, message] of [
    [
      'mysql://me:secret@db/sales',
      /^The ledger mysql:\/\/db\/sales cannot be opened: expected a path, file: or postgres:$/,
    ],
    [
      'postgres://me:secret@127.0.0.1:1/sales',
      /^The ledger postgres:\/\/127\.0\.0\.1:1\/sales cannot be opened: connect ECONNREFUSED 127\.0\.0\.1:1$/,
    ],
    ['postgres://me:sec#ret@127.0.0.1:1/sales', /^The ledger postgres:\/\/… cannot be opened: Invalid URL$/],
    [
      'postgresql://me:secret@localhost:1/sales?sslmode=disable',
      /^The ledger postgresql:\/\/localhost:1\/sales cannot be opened: \S[^\n]*$/,
    ],
    ['a-file:sales.db', /^The ledger a-file:sales\.db cannot be opened: expected a path, file: or postgres:$/],
    ['postgres://localhost:1/sales?max=0', /cannot be opened: max is the number of connections, such as \?max=3$/],
    ['postgres://localhost:1/sales?max=x3', /cannot be opened: max is the number of connections/],
    ['postgres://localhost:1/sales?max=3x', /cannot be opened: max is the number of connections/],
    ['postgres://127.0.0.1:1/sales?max=3', /cannot be opened: connect ECONNREFUSED/],
    ['file::memory:', /cannot be opened: a ledger in memory would lose the sales/],
    [':memory:', /^The ledger :memory: cannot be opened: a ledger in memory would lose the sales when the gate stops$/],
    ['file:no#1/sales.db', /^The ledger \S+ cannot be opened: a file: address must not contain \? or #/],
    ['file:sales.db?mode=ro', /^The ledger \S+ cannot be opened: a file: address must not contain \? or #/],
    ['missing/sales.db', /^The ledger missing\/sales\.db cannot be opened: ENOENT[^\n]+$/],
    ['.', /^The ledger \. cannot be opened: it is a folder$/],
  ] as const)
    test(`${address} is refused in one line`, async () => {
      await assert.rejects(openLedger(root, address), (error: Error) => {
        assert.ok(error instanceof SiteError);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /secret|sec#ret/);
        return true;
      });
    });

  for (const how of ['a path', 'a symbolic link'])
    test(`a file in public/ of a site, named by ${how}, is refused and not created, because it would be published`, async () => {
      const folder = join(root, 'public', 'api');
      await mkdir(folder, {recursive: true});
      await mkdir(join(root, 'data'));
      await writeFile(join(root, 'data/site.json'), '{}');
      await symlink(folder, join(root, 'link'));
      const address = how === 'a path' ? 'public/api/sales.db' : 'link/sales.db';
      await assert.rejects(openLedger(root, address), {
        name: 'SiteError',
        code: 'FZ505',
        message: `The ledger ${address} cannot be opened: it is in public/ of a site, which is published: move it to another folder`,
      });
      assert.deepEqual(await filesIn(folder), []);
    });

  test('a file that is not a database is refused in one line and not changed', async () => {
    const text = 'sales\n'.repeat(1000);
    await writeFile(join(root, 'sales.txt'), text);
    await assert.rejects(openLedger(root, 'sales.txt'), {
      name: 'SiteError',
      message: 'The ledger sales.txt cannot be opened: file is not a database',
    });
    assert.equal(await readFile(join(root, 'sales.txt'), 'utf8'), text);
  });
});
