import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, writeFileSync} from 'node:fs';
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {FROZEN} from '../project.ts';
import {readSecretFile} from '../../paywall/settler/key-file.ts';
import {makeFirst} from '../../scripts/sign/make.ts';
import {emptySite} from '../build/site-fixture.ts';
import {answering, noTerminal} from '../scripts/terminal.ts';

test(
  'a pipe in place of a key file is refused immediately, although nothing is written to it',
  {timeout: 5_000},
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'key-'));
    const pipe = join(folder, 'signing.key');
    execFileSync('mkfifo', ['-m', '600', pipe]);
    await assert.rejects(readSecretFile(pipe, 'The key file'), /^\S+: The key file is not a file\.$/);
    await rm(folder, {recursive: true});
  },
);

test('a key that a full disk refuses does not leave an empty file, which a second attempt would not overwrite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'key-'));
  const limited = ['-c', 'trap "" XFSZ; ulimit -f 0; exec "$@"', 'sh', process.execPath, FROZEN, 'sign', 'new-key'];
  const {status, stderr} = spawnSync('sh', [...limited, '--output', join(folder, 'signing.key')], {encoding: 'utf8'});
  assert.match(stderr, /signing\.key cannot be written \(EFBIG\)\. \[FZ401\]\n/);
  assert.equal(status, 1);
  assert.deepEqual(await readdir(folder), []);
  await rm(folder, {recursive: true});
});

test('an edit of data/site.json while the command waits for a passphrase is not lost, and no key is left', async () => {
  await using site = await emptySite();
  const file = join(site.root, 'data/site.json');
  const edited = `${await readFile(file, 'utf8')}\n`;
  const env = {
    get FROZEN_SIGNING_PASSPHRASE() {
      writeFileSync(file, edited);
      return 'secret';
    },
  };
  const output = join(site.root, 'signing.key');
  await assert.rejects(makeFirst({root: site.root, output, passphrase: true, write: true}, env), {
    message: /changed after it was read/,
  });
  assert.equal(await readFile(file, 'utf8'), edited);
  assert.equal(existsSync(output), false);
});

test('a passphrase that is typed as soon as it is asked for is not shown', {skip: noTerminal}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'key-'));
  const make = (name: string) =>
    answering(['sign', 'new-key', '--passphrase', '--output', name], folder, [
      ['Passphrase for the new key: ', 'open sesame\r'],
      ['Repeat the passphrase: ', 'open sesame\r'],
    ]);
  // Several times, because a terminal that shows it does so only briefly.
  const made = await Promise.all(['one.key', 'two.key', 'three.key'].map(make));
  for (const {status, shown} of made) assert.deepEqual([status, shown.includes('sesame')], [0, false], shown);
  await rm(folder, {recursive: true});
});

for (const [what, name, code] of [
  ['below a file', 'file/signing.key', 'ENOTDIR'],
  ['with a name that is too long', 'a'.repeat(300), 'ENAMETOOLONG'],
] as const)
  test(`a key ${what} is refused in one line`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'key-'));
    await writeFile(join(folder, 'file'), 'text');
    const {status, stderr} = spawnSync(process.execPath, [FROZEN, 'sign', 'new-key', '--output', join(folder, name)], {
      encoding: 'utf8',
    });
    assert.match(stderr, new RegExp(`cannot be written \\(${code}\\)\\. \\[FZ401\\]\n`));
    assert.equal(status, 1);
    assert.deepEqual(await readdir(folder), ['file']);
    await rm(folder, {recursive: true});
  });
