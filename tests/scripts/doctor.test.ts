import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {createServer} from 'node:net';
import {once} from 'node:events';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {test} from 'node:test';
import type {Finding} from '../../scripts/doctor/examine.ts';
import {denySite} from '../build/site-fixture.ts';
import {FROZEN} from '../project.ts';
import {gitSite} from './git-site.ts';
import {runScript} from './script-run.ts';

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return spawnSync(process.execPath, [FROZEN, ...args], {encoding: 'utf8', env: {...process.env, ...env}});
}

async function findings(root: string, env?: NodeJS.ProcessEnv) {
  const {code, out} = await runScript('doctor', ['--root', root, '--json'], env);
  return {code, ...(JSON.parse(out) as {ok: boolean; checks: Finding[]})};
}

test('doctor shows each problem with its remedy, and never a key', async () => {
  await using site = await denySite();
  const key = `0x${'5'.repeat(63)}`;
  const {code, ok, checks} = await findings(site.root, {FROZEN_BUYER_KEY: key});
  assert.deepEqual([code, ok], [1, false]);
  const found = (name: string) => checks.find(({subject}) => subject === name);
  const state = (name: string) => found(name)?.state;
  assert.equal(found('git')?.fix, 'run git init; review and deploy need a repository');
  assert.deepEqual([state('Node.js'), state('site'), state('disk')], ['ok', 'ok', 'ok']);
  assert.deepEqual([state('git'), state('FROZEN_BUYER_KEY')], ['problem', 'problem']);
  for (const one of checks) assert.equal(one.fix !== undefined, one.state === 'problem', one.subject);
  assert.ok(!JSON.stringify(checks).includes(key.slice(2)));
  assert.match(
    (await runScript('doctor', ['--root', site.root], {FROZEN_BUYER_KEY: key})).out,
    /^✗ {2}FROZEN_BUYER_KEY .*\n +→ set 0x and 64/m,
  );
});

test('doctor shows why git refuses a repository, such as one of another user', async () => {
  await using site = await gitSite();
  const {checks} = await findings(site.root, {GIT_TEST_ASSUME_DIFFERENT_OWNER: '1'});
  const found = checks.find(({subject}) => subject === 'git');
  assert.match(found?.detail ?? '', /dubious ownership/);
  assert.match(found?.fix ?? '', /^correct what git reports/);
});

test('doctor outside of a site needs no git repository, and names a folder once', () => {
  const {stdout} = spawnSync(process.execPath, [FROZEN, 'doctor', '--json'], {encoding: 'utf8', cwd: tmpdir()});
  const {checks} = JSON.parse(stdout) as {checks: Finding[]};
  const states = (name: string) => checks.flatMap(({subject, state}) => (subject === name ? [state] : []));
  assert.deepEqual([states('git'), states('site'), states('disk').length], [['ok'], ['unchecked'], 1]);
});

test('doctor finds a port that is in use, as by a running gate, which is no problem, and a site that cannot be read', async () => {
  const root = await mkdtemp(join(tmpdir(), 'doctor-'));
  const server = createServer().listen(8402, '127.0.0.1');
  await Promise.race([once(server, 'listening'), once(server, 'error')]);
  const {checks} = await findings(root);
  assert.equal(checks.find(({subject}) => subject === 'port 8402')?.state, 'unchecked');
  const site = checks.find(({subject}) => subject === 'site');
  assert.deepEqual([site?.state, site?.detail], ['problem', 'data/site.json does not exist']);
  assert.match(site?.fix ?? '', /^Create the file, /);
  server.close();
  await rm(root, {recursive: true});
});

test('--quiet prints only errors, and JSON; --color and FORCE_COLOR colour a pipe', async () => {
  await using site = await denySite();
  const quiet = (root: string, ...more: string[]) => runScript('build', ['--root', root, '--quiet', ...more]);
  assert.deepEqual(await quiet(site.root), {code: 0, out: '', err: ''});
  assert.match((await quiet(site.root, '--json')).out, /^\{/);
  assert.notEqual((await quiet(join(site.root, 'public'))).err, '');
  const isColoured = (args: readonly string[], env: NodeJS.ProcessEnv) =>
    run(['build', '--root', site.root, ...args], {NO_COLOR: undefined, ...env}).stdout.includes('\u001b[');
  assert.equal(isColoured([], {}), false);
  assert.equal(isColoured(['--color'], {}), true);
  assert.equal(isColoured([], {FORCE_COLOR: '1'}), true);
  assert.equal(isColoured(['--no-color'], {FORCE_COLOR: '1'}), false);
});

test('a Node.js that is too old is reported in a sentence, and an error of the machine with its remedy, and a bug with its stack and the versions', () => {
  const url = JSON.stringify(pathToFileURL(FROZEN).href);
  const script = (prelude: string) =>
    spawnSync(process.execPath, ['-e', `${prelude}; import(${url})`], {encoding: 'utf8'});
  const old = script("Object.defineProperty(process, 'version', {value: 'v18.1.0'})");
  assert.deepEqual([old.status, old.stdout], [1, '']);
  assert.match(old.stderr, /^frozen needs Node\.js 20\.19 or later, and this is v18\.1\.0: .*\n$/);
  const fails = (error: string) =>
    script(`process.argv.push('dev', '--help');
    process.on('newListener', name => {
      if (name === 'uncaughtException') setImmediate(() => { throw ${error}; });
    })`);
  const machine = fails(
    "Object.assign(new Error('EMFILE: too many open files'), {code: 'EMFILE', syscall: 'open', path: '/a'})",
  );
  assert.match(machine.stderr, /^EMFILE: too many open files.*\nFZ401: Raise the number of open files .*\n$/);
  assert.equal(machine.status, 1);
  const bug = fails("new Error('oops')");
  assert.match(
    bug.stderr,
    /^Error: oops\n[^]*\nThis is a bug in frozen-snapshots \d.* Please report it with the lines above\.\n$/,
  );
  assert.equal(bug.status, 1);
});
