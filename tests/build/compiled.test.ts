import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {PROJECT} from '../project.ts';
import {CLASS_SHARE, DENY_SCHEMA, denySite, emptySite, SITE, type SiteFixture} from './site-fixture.ts';
import {readOutput} from './tree.ts';

/** The project in a folder of its own, with its own compiled code. */
async function installation(name = 'installation-'): Promise<{folder: string} & AsyncDisposable> {
  const parent = await mkdtemp(join(tmpdir(), 'installation-'));
  const folder = join(parent, name);
  await mkdir(join(folder, 'node_modules'), {recursive: true});
  for (const part of ['build', 'paywall', 'scripts', 'shared', 'package.json', 'package-lock.json'])
    await cp(join(PROJECT, part), join(folder, part), {recursive: true});
  const packages = (await readdir(join(PROJECT, 'node_modules'))).filter(name => name !== '.cache');
  for (const name of packages) await symlink(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name));
  return {folder, [Symbol.asyncDispose]: () => rm(parent, {recursive: true})};
}

/** Runs a command of an installation, and expects that it has nothing to say about errors. */
function run({folder}: {folder: string}, ...args: string[]): string {
  const {status, stdout, stderr} = spawnSync(process.execPath, ['scripts/start.js', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.deepEqual({status, stderr}, {status: 0, stderr: ''}, args.join(' '));
  return stdout;
}

/** Builds a site from nothing, and returns what was written. */
async function built(project: {folder: string}, {root}: SiteFixture) {
  for (const folder of ['public', 'paywall']) await rm(join(root, folder), {recursive: true, force: true});
  run(project, 'scripts/build.ts', '--root', root);
  return readOutput(root);
}

/** The folder of what an installation has compiled. */
async function codeOf({folder}: {folder: string}): Promise<string> {
  const cache = join(folder, 'node_modules/.cache/frozen-snapshots');
  const [code = ''] = await readdir(cache);
  return join(cache, code);
}

test('compiled code that is damaged, or was changed, is not run, and is made anew', async () => {
  await using project = await installation();
  await using site = await denySite();
  const good = await built(project, site);
  const compiled = join(await codeOf(project), 'scripts-build.ts.cjs');
  for (const file of [compiled, `${compiled}.v8`]) {
    assert.ok(existsSync(file), file);
    await writeFile(file, 'damaged');
    assert.deepEqual(await built(project, site), good, file);
    await built(project, site);
  }
  const code = await readFile(compiled, 'utf8');
  await writeFile(compiled, code.replaceAll('never invented', 'never inventeD'));
  assert.notEqual(await readFile(compiled, 'utf8'), code);
  assert.deepEqual(await built(project, site), good);
  await built(project, site);
  assert.equal(await readFile(compiled, 'utf8'), code);
});

test('compiled code writes the bytes that its sources write', async () => {
  await using project = await installation("a$$b $& * 'c'");
  await using site = await emptySite();
  const rows = Array.from(
    {length: 200},
    (_, index) => `https://${String(index).padStart(3, '0')}.example/é,soft_fail\n`,
  );
  await site.write('data/site.json', {...SITE, title: 'Tést – “site”'});
  await site.freeze({source: 'deny-list', files: {'list.csv': `url,class\n${rows.join('')}`}, schema: DENY_SCHEMA});
  // The page shows the beginning of a sample as long as this one.
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, examples: 150});
  const compiled = await built(project, site);
  assert.ok(existsSync(join(await codeOf(project), 'scripts-build.ts.cjs')));
  assert.match(compiled['public/index.html']?.toString() ?? '', / and \d+ more lines/);
  await rm(join(site.root, 'public'), {recursive: true});
  assert.equal((await site.build()).code, 0);
  assert.deepEqual(await readOutput(site.root), compiled);
});

test('other sources, linked ones too, and other packages are other code', async () => {
  await using project = await installation();
  const style = join(project.folder, 'build/pages/html/style.css');
  const linked = join(project.folder, 'style.css');
  await rename(style, linked);
  await symlink(linked, style);
  run(project, 'scripts/build.ts', '--help');
  let code = await codeOf(project);
  for (const file of [
    linked,
    join(project.folder, 'node_modules/.package-lock.json'),
    join(project.folder, 'tsconfig.json'),
  ]) {
    await rm(file, {force: true});
    await writeFile(file, '{}');
    run(project, 'scripts/build.ts', '--help');
    assert.notEqual(await codeOf(project), code, file);
    code = await codeOf(project);
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
    const [, , source = ''] = command.split(' ');
    assert.match(run(project, source, '--help'), /^Usage: npm /m);
  }
});
