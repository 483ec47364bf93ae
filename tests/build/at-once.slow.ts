import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {cp, mkdir, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {FROZEN} from '../project.ts';
import {build} from '../../build/build.ts';
import {takeLock} from '../../build/write/lock.ts';
import {CLASS_SHARE, denySite, emptySite} from './site-fixture.ts';
import {readOutput} from './tree.ts';
import {plainErrors} from '../plain-errors.ts';

const AT_WORK = '.build/lock is locked by another build or by `frozen dev`, which is building this folder now\n';

async function buildAlone(root: string): Promise<{code: number; err: string}> {
  const child = spawn(process.execPath, [FROZEN, 'build', '--root', root], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number]>]);
  return {code, err: plainErrors(err)};
}

test('a build fails immediately, with a message, while another build of the site runs', async () => {
  await using site = await denySite();
  const lock = takeLock(site.root);
  const {remedies, ...refused} = await site.build();
  assert.deepEqual(refused, {code: 1, out: '', err: AT_WORK});
  assert.match(remedies ?? '', /Wait until the other process has ended/);
  assert.deepEqual(await buildAlone(site.root), {code: 1, err: AT_WORK});
  assert.equal((await site.build('--check')).code, 1, '--check only looks');
  lock.release();
  assert.equal(existsSync(join(site.root, '.build')), false);
  assert.equal((await site.build()).code, 0);
  assert.equal(existsSync(join(site.root, '.build')), false);
});

test('a build reads the earlier output while it holds the lock', async () => {
  await using site = await denySite();
  const asked: string[] = [];
  const progress = {
    onRead: () => {
      assert.throws(() => takeLock(site.root), {message: AT_WORK.trim()});
      asked.push('read');
      return () => undefined;
    },
    onComposed: () => undefined,
  };
  await build({root: site.root, progress});
  assert.deepEqual(asked, ['read']);
});

test('a symbolic link in place of the lock is not followed', async () => {
  for (const target of ['lock', '../elsewhere']) {
    await using site = await denySite();
    await mkdir(join(site.root, '.build'));
    await symlink(target, join(site.root, '.build/lock'));
    const {code, err} = await site.build();
    assert.equal(code, 1);
    assert.match(err, /^\.build\/lock cannot be (read|written) \(ELOOP\)\n$/);
    assert.equal(existsSync(join(site.root, 'elsewhere')), false);
  }
});

test('of builds that start at the same time, the successful ones have written everything', async () => {
  await using expected = await denySite();
  for (let index = 0; index < 60; index++)
    await expected.write(`data/products/p${index}.json`, {...CLASS_SHARE, title: `Product ${index}`});
  await using site = await emptySite();
  await cp(expected.root, site.root, {recursive: true});
  await expected.build();
  const wholly = await readOutput(expected.root);
  const builds = [0, 50, 100, 200, 300].map(ms => sleep(ms).then(() => buildAlone(site.root)));
  for (const {code, err} of await Promise.all(builds)) assert.ok(code === 0 ? err === '' : err === AT_WORK, err);
  assert.equal((await site.build('--check')).code, 0);
  assert.deepEqual(await readOutput(site.root), wholly);
  assert.equal(existsSync(join(site.root, '.build')), false);
});
