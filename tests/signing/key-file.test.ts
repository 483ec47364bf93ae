import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtemp, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {FROZEN} from '../project.ts';
import {readSecretFile} from '../../paywall/settler/key-file.ts';

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
