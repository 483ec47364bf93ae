import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {PROJECT} from '../project.ts';
import {denySite} from './site-fixture.ts';
import {readOutput} from './tree.ts';

/** The generator in a folder of its own, with its own compiled code. */
async function installation(): Promise<{folder: string} & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'installation-'));
  for (const part of ['build', 'paywall', 'scripts', 'package.json', 'package-lock.json'])
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
    const {status, stderr} = spawnSync(process.execPath, ['scripts/start.js', 'build/main.ts', '--root', site.root], {
      cwd: generator.folder,
      encoding: 'utf8',
    });
    assert.deepEqual({status, stderr}, {status: 0, stderr: ''});
    return readOutput(site.root);
  };
  const good = await build();
  const [code = ''] = await readdir(cache);
  for (const file of ['build-main.ts.cjs', 'build-main.ts.cjs.v8']) {
    assert.ok(existsSync(join(cache, code, file)), file);
    await writeFile(join(cache, code, file), 'damaged');
    assert.deepEqual(await build(), good, file);
    await build();
    assert.notEqual((await readdir(cache)).length, 0, file);
  }
});

test('where nothing can be kept, commands run from their sources', async () => {
  await using project = await installation();
  await writeFile(join(project.folder, 'node_modules/.cache'), 'no folder');
  const {scripts} = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const commands = Object.values(scripts).filter(command => command.startsWith('node scripts/start.js '));
  assert.equal(commands.length, 8);
  for (const command of commands) {
    const [, ...words] = command.split(' ');
    const {status, stdout, stderr} = spawnSync(process.execPath, [...words, '--help'], {
      cwd: project.folder,
      encoding: 'utf8',
    });
    assert.deepEqual({status, stderr}, {status: 0, stderr: ''}, command);
    assert.match(stdout, /^Usage: npm /m);
  }
});
