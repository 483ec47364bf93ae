import assert from 'node:assert/strict';
import {mkdtemp, readdir, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {FEW, Writer} from '../../build/write/writer.ts';

/** Long texts among short ones, as a thread is handed them. */
const textOf = (file: number) => `${file} ä\n`.repeat(file % 100 === 0 ? 50_000 : 1);

async function folder(): Promise<{path: string} & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'writer-'));
  return {path, [Symbol.asyncDispose]: () => rm(path, {recursive: true})};
}

test('few files and many are all written when it ends', async () => {
  for (const count of [0, 1, FEW, FEW + 1, 3 * FEW]) {
    await using to = await folder();
    const writer = new Writer();
    for (let file = 0; file < count; file++) writer.write(join(to.path, `${file}`), textOf(file));
    await writer.end();
    assert.equal((await readdir(to.path)).length, count);
    for (let file = 0; file < count; file++)
      assert.equal(await readFile(join(to.path, `${file}`), 'utf8'), textOf(file), `${file} of ${count}`);
  }
});

test('a file that cannot be written is told, among the first or among many', async () => {
  await using to = await folder();
  const missing = join(to.path, 'missing', 'file');
  assert.throws(
    () => {
      new Writer().write(missing, '');
    },
    {code: 'ENOENT', syscall: 'open'},
  );
  const writer = new Writer();
  for (let file = 0; file < 3 * FEW; file++) writer.write(file === 2 * FEW ? missing : join(to.path, 'file'), 'text');
  await assert.rejects(writer.end(), {code: 'ENOENT', syscall: 'open', path: missing});
  await writer.stop();
});

test('what is handed to a thread waits for it, and for none that has failed', async t => {
  await using to = await folder();
  const long = 'x'.repeat(1 << 17);
  const writer = new Writer();
  for (let file = 0; file < FEW + 400; file++) writer.write(join(to.path, `${file}`), file < FEW ? '' : long);
  const standing = (await readdir(to.path)).length;
  await writer.end();
  assert.ok(standing > FEW + 300, 'most of it stands already: only so much may wait');
  const failing = new Writer();
  const missing = join(to.path, 'missing', 'file');
  const wait = t.mock.method(Atomics, 'wait');
  for (let file = 0; file < FEW + 400; file++) failing.write(file < FEW ? join(to.path, 'file') : missing, long);
  await assert.rejects(failing.end(), {code: 'ENOENT'});
  assert.ok(wait.mock.callCount() <= 1);
  await failing.stop();
});
