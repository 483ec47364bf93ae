import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {cp, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test, type TestContext} from 'node:test';
import {FROZEN, PROJECT} from '../project.ts';

const MOUNTS = ['-rm', 'sh', '-ec', 'mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; exec "$@"'];

describe('on a read-only disk', () => {
  let root: string;
  let key: string;
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [FROZEN, ...args, '--root', root], {cwd: PROJECT, encoding: 'utf8'});
  const runReadOnly = (args: readonly string[]) => {
    const command = [process.execPath, FROZEN, ...args, '--root', root];
    return spawnSync('unshare', [...MOUNTS, root, ...command], {cwd: PROJECT, encoding: 'utf8'});
  };
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'read-only-'));
    key = `${root}.key`;
    await cp(join(PROJECT, 'data'), join(root, 'data'), {recursive: true});
    assert.equal(run('sign', 'new-key', '--write', '--output', key).status, 0);
    assert.equal(run('build').status, 0);
    await rm(join(root, 'public/404.html'));
  });
  after(() => Promise.all([root, key].map(path => rm(path, {recursive: true}))));

  const list = join(PROJECT, 'tests/lists/pep-status.csv');
  for (const [command, args, fault] of [
    ['build', [], /^\.build cannot be written \(EROFS\)\. \[FZ401\]\nFZ401: [^\n]+\n$/],
    ['freeze', ['peps', list], /^data\/sources\/peps cannot be written \(EROFS\)\. \[FZ401\]\nFZ401: [^\n]+\n$/],
    ['sign', [], /^public\/api\/v1\/index\.json\.jws cannot be written \(EROFS\)\. \[FZ401\]\nFZ401: [^\n]+\n$/],
  ] as const)
    test(`${command} reports it`, (context: TestContext) => {
      if (spawnSync('unshare', ['-rm', 'true']).status !== 0) {
        context.skip('this machine does not allow a process to have its own mounts (unshare -rm)');
        return;
      }
      const all = command === 'sign' ? ['catalogue', '--signing-key-file', key] : args;
      const {status, stderr} = runReadOnly([command, ...all]);
      assert.match(stderr, fault);
      assert.equal(status, 1);
    });
});
