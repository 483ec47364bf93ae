import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {chmod} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {readTree} from '../build/tree.ts';
import {CLASS_SHARE, denySite} from '../build/site-fixture.ts';
import {COMMANDS, commandOf} from '../bench/measure/commands.ts';
import {FROZEN, PROJECT} from '../project.ts';
import {runScript} from './script-run.ts';

test('paths are relative to the folder where a command is called', async () => {
  await using site = await denySite();
  // As npm runs it: in the folder of the project, independent of the caller's folder.
  const [program, ...words] = commandOf('build', '--root', '.');
  const npm = {npm_lifecycle_event: 'build', npm_package_json: undefined, INIT_CWD: site.root};
  const env = {...process.env, ...npm};
  const {status, stdout, stderr} = spawnSync(program, words, {cwd: PROJECT, encoding: 'utf8', env});
  assert.deepEqual([status, stderr], [0, ''], stdout);
  assert.ok(existsSync(join(site.root, 'public/api/v1/samples/softfail3.json')));
});

test('a folder that was removed under a shell is reported', async () => {
  await using site = await denySite();
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
  for (const args of [['build'], ['build', '--root', site.root], ['init', 'my-site'], ['doctor']]) {
    const command = ['-c', script, 'sh', process.execPath, FROZEN, ...args];
    const {status, stderr} = spawnSync('sh', command, {cwd: site.root, encoding: 'utf8'});
    assert.match(stderr, /^The current folder does not exist any more\. \[FZ201\]\n[^\n]+\n$/);
    assert.equal(status, 1);
  }
});

test('a new site in a folder that belongs to another site is refused', async () => {
  await using site = await denySite();
  const before = await readTree(site.root);
  for (const [path, outer] of [
    ['data/products/new', 'data'],
    ['public', 'public'],
    ['paywall/rules/new', 'paywall/rules'],
  ] as const) {
    const {code, err} = await runScript('init', [join(site.root, path)]);
    assert.equal(code, 1);
    assert.match(
      err,
      new RegExp(`/${path} is in ${outer}/ of another site, which may contain only files of that site$`, 'm'),
    );
  }
  const {err} = await runScript('init', [join(site.root, 'database')]);
  assert.match(err, /^--pay-to is missing$/m);
  assert.deepEqual(await readTree(site.root), before);
});

test('a folder for temporary files that cannot be used is reported', async () => {
  await using site = await denySite();
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, formats: ['json', 'csv']});
  const env = {...process.env, TMPDIR: FROZEN};
  const command = [FROZEN, 'build', '--check'];
  const {status, stderr} = spawnSync(process.execPath, command, {cwd: site.root, encoding: 'utf8', env});
  assert.match(stderr, /^\S+\/frozen\.js cannot be used for temporary files \(ENOTDIR\)\. \[FZ401\]\n[^\n]+\n$/);
  assert.equal(status, 1);
});

test('data that this user may not read is reported', async () => {
  await using site = await denySite();
  await chmod(site.root, 0o755);
  await chmod(join(site.root, 'data'), 0);
  // The superuser may read every folder.
  const uid = process.getuid?.() === 0 ? 65_534 : undefined;
  const command = [FROZEN, 'build'];
  const {status, stderr} = spawnSync(process.execPath, command, {cwd: site.root, encoding: 'utf8', uid});
  await chmod(join(site.root, 'data'), 0o755);
  assert.match(stderr, /^data\/site\.json cannot be read \(EACCES\)\. \[FZ401\]$/m);
  assert.equal(status, 1);
});

test('a name that is too long for the disk is reported', async () => {
  await using site = await denySite();
  const command = [FROZEN, 'freeze', 'a'.repeat(300), 'list.csv'];
  const {status, stderr} = spawnSync(process.execPath, command, {cwd: site.root, encoding: 'utf8'});
  assert.match(stderr, /^ENAMETOOLONG: [^\n]+\. \[FZ401\]\nFZ401: Choose a shorter name\.\n$/);
  assert.equal(status, 1);
});

/** The required arguments of commands. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  freeze: ['list', 'list.csv'],
  deploy: ['github-pages'],
  verify: ['site'],
};

test('an empty root, a root that is not a folder, and an unknown flag are wrong usage, with the same messages', async () => {
  const file = join(PROJECT, 'package.json');
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['--root=', /^--root "" is not a folder\n$/],
    [`--root=${file}/below`, /^--root "[^"]+" is not a folder\n$/],
    ['--bogus', /^Unknown option '--bogus'\n$/],
  ];
  for (const name of COMMANDS) {
    // This command creates the folder that others name with --root.
    if (name === 'init') continue;
    const more = MORE[name] ?? [];
    for (const [flag, says] of wrong) {
      const {code, out, err} = await runScript(name, [...more, flag]);
      assert.match(err, says, name);
      assert.deepEqual([code, out], [2, ''], `${name} ${flag}`);
    }
  }
});
