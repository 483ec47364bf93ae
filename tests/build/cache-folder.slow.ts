import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {appendFile, cp, mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {BuildCache} from '../../build/cache.ts';
import {PROJECT} from '../project.ts';
import {denySite} from './site-fixture.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Two versions of the compiled command, a site and an empty cache folder. */
async function twoVersions() {
  const folder = await mkdtemp(join(tmpdir(), 'versions-'));
  const cache = join(folder, 'cache');
  // On Linux. On macOS and Windows the cache folder depends on the home folder.
  const env = {...process.env, XDG_CACHE_HOME: cache, HOME: folder, LOCALAPPDATA: folder};
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  const version = async (name: string) => {
    const dist = join(folder, name, 'dist');
    await cp(join(PROJECT, 'dist'), dist, {recursive: true, filter: file => !file.endsWith('.map')});
    for (const part of ['package.json', 'build', 'buyer', 'paywall', 'scripts', 'shared'])
      await symlink(join(PROJECT, part), join(folder, name, part));
    await appendFile(join(dist, 'frozen.js'), `\n// ${name}\n`);
    return (root: string) => execFileSync(process.execPath, [join(dist, 'frozen.js'), 'build', '--root', root], {env});
  };
  return {
    first: await version('first'),
    second: await version('second'),
    entries: join(cache, 'frozen-snapshots'),
    [Symbol.asyncDispose]: () => rm(folder, {recursive: true}),
  };
}

test('two versions of the tool cache builds next to each other, until an entry was unused for more than 30 days', async () => {
  await using site = await denySite();
  await using versions = await twoVersions();
  const {first, second, entries} = versions;
  const cached = (entry: string) => [...new BuildCache(join(entries, entry), site.root).groups().keys()];
  first(site.root);
  const [ofFirst = ''] = await readdir(entries);
  second(site.root);
  assert.equal((await readdir(entries)).length, 2);
  for (const entry of await readdir(entries)) assert.equal(cached(entry).length, 1);
  const both = (await readdir(entries)).sort();
  assert.ok(both.includes(ofFirst));
  for (const build of [first, second]) {
    build(site.root);
    assert.deepEqual((await readdir(entries)).sort(), both);
    for (const entry of both) assert.equal(cached(entry).length, 1);
  }

  const [old, recent] = ['a'.repeat(64), 'b'.repeat(64)];
  const usedBefore = async (name: string, days: number) => {
    const then = new Date(Date.now() - days * DAY_MS);
    await utimes(join(entries, name), then, then);
  };
  for (const name of [old, recent]) {
    await mkdir(join(entries, name));
    await writeFile(join(entries, name, 'group'), '');
  }
  await writeFile(join(entries, ofFirst, 'kept'), '');
  await usedBefore(old, 31);
  await usedBefore(recent, 29);
  await usedBefore(ofFirst, 31);
  first(site.root);
  assert.deepEqual((await readdir(entries)).sort(), [...both, recent].sort());
  assert.ok(existsSync(join(entries, ofFirst, 'kept')), 'renewed, and not removed and written again');
  assert.ok((await stat(join(entries, ofFirst))).mtimeMs > Date.now() - DAY_MS);
});
