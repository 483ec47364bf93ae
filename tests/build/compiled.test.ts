import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {PROJECT} from '../project.ts';
import {denySite} from './site-fixture.ts';
import {readOutput} from './tree.ts';

/** The generator in a folder of its own, with its own compiled code. */
async function installation(): Promise<{folder: string} & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'installation-'));
  for (const part of ['build', 'paywall', 'package.json', 'package-lock.json'])
    await cp(join(PROJECT, part), join(folder, part), {recursive: true});
  await mkdir(join(folder, 'node_modules'));
  const packages = (await readdir(join(PROJECT, 'node_modules'))).filter(name => name !== '.cache');
  for (const name of packages) await symlink(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name));
  return {folder, [Symbol.asyncDispose]: () => rm(folder, {recursive: true})};
}

test('compiled code that is damaged is not run, and is made anew', async () => {
  await using generator = await installation();
  await using site = await denySite();
  const cache = join(generator.folder, 'node_modules/.cache/frozen-snapshots');
  const build = async () => {
    for (const folder of ['public', 'paywall']) await rm(join(site.root, folder), {recursive: true, force: true});
    const {status, stderr} = spawnSync(process.execPath, ['build/start.js', '--root', site.root], {
      cwd: generator.folder,
      encoding: 'utf8',
    });
    assert.deepEqual({status, stderr}, {status: 0, stderr: ''});
    return readOutput(site.root);
  };
  const good = await build();
  const [code = ''] = await readdir(cache);
  for (const file of ['main.cjs', 'main.v8']) {
    assert.ok(existsSync(join(cache, code, file)), file);
    await writeFile(join(cache, code, file), 'damaged');
    assert.deepEqual(await build(), good, file);
    await build();
    assert.notEqual((await readdir(cache)).length, 0, file);
  }
});
