import assert from 'node:assert/strict';
import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {after, before, describe, test} from 'node:test';
import {generatePrivateKey} from 'viem/accounts';
import {FROZEN} from '../project.ts';
import {gitSite} from './git-site.ts';
import {runRaw} from './script-run.ts';

const COMMANDS = ['build', 'demo', 'deploy', 'dev', 'freeze', 'refund', 'review', 'sales', 'sign'];
const SCRIPTS = [
  ...[...COMMANDS, 'start', 'verify', 'witness'].map(
    name => [name, `"${process.execPath}" "${FROZEN}" ${name}`] as const,
  ),
  ['environment', `"${process.execPath}" -p "JSON.stringify(process.env)"`] as const,
];
const BROKEN = '{"title": ';

/** An invalid site, with a valid one as a workspace below it. */
async function twoSites() {
  await using site = await gitSite();
  const root = await mkdtemp(join(tmpdir(), 'npm-sites-'));
  const named = join(root, 'named');
  await cp(site.root, named, {recursive: true});
  await rm(join(named, '.git'), {recursive: true});
  await mkdir(join(root, 'data'));
  await writeFile(join(root, 'data/site.json'), BROKEN);
  for (const [folder, more] of [
    [root, {name: 'here', workspaces: ['named']}],
    [named, {name: 'named'}],
  ] as const) {
    const scripts = Object.fromEntries(SCRIPTS);
    await writeFile(join(folder, 'package.json'), JSON.stringify({version: '1.0.0', scripts, ...more}));
  }
  await mkdir(join(named, 'node_modules/.bin'), {recursive: true});
  const bin = `#!/bin/sh\nexec "${process.execPath}" "${FROZEN}" "$@"\n`;
  await writeFile(join(named, 'node_modules/.bin/frozen'), bin, {mode: 0o755});
  await writeFile(join(root, '.gitignore'), 'node_modules\n*.key\n');
  const git = (...args: string[]) => execFileSync('git', args, {cwd: root});
  git('init', '--quiet');
  git('init', '--quiet', '--bare', join(root, '.git/remote'));
  git('remote', 'add', 'origin', join(root, '.git/remote'));
  git('add', '--all');
  git('-c', 'user.name=A', '-c', 'user.email=a@test.example', 'commit', '--quiet', '--message', 'Start');
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$/.test(name)));
  return {
    root,
    named,
    env,
    /** Runs npm from a folder of the tree. */
    npm(cwd: string, ...args: string[]) {
      const {status, stdout, stderr} = spawnSync('npm', ['--silent', ...args], {cwd, encoding: 'utf8', env});
      return {code: status, out: stdout + stderr};
    },
    [Symbol.asyncDispose]: () => rm(root, {recursive: true}),
  };
}

describe('a command that changes nothing, started with npm', {concurrency: false}, () => {
  let sites: Awaited<ReturnType<typeof twoSites>>;
  before(async () => {
    sites = await twoSites();
  });
  after(() => sites[Symbol.asyncDispose]());

  for (const option of ['--prefix', '-C', '-w'])
    test(`npm ${option} acts on the site that it names, even from inside another one`, () => {
      const {code, out} = sites.npm(sites.root, option, 'named', 'run', 'build', '--', '--check');
      assert.match(out, /^up to date: 1 product/m);
      assert.equal(code, 0, out);
    });

  test('npm exec --prefix acts on the named site as well', () => {
    const {code, out} = sites.npm(sites.root, '--prefix', 'named', 'exec', '--', 'frozen', 'build', '--check');
    assert.equal(code, 0, out);
  });

  test('from inside a valid site, npm --prefix names the invalid one above it', () => {
    const {code, out} = sites.npm(sites.named, '--prefix', '..', 'run', 'build', '--', '--check');
    assert.match(out, /^data\/site\.json:1:\d+ is not JSON/);
    assert.equal(code, 1, out);
  });

  test('without these options npm acts on the site of the current folder', () => {
    assert.equal(sites.npm(sites.root, 'run', 'build', '--', '--check').code, 1);
    const {code, out} = sites.npm(join(sites.named, 'data'), 'run', 'build', '--', '--check');
    assert.equal(code, 0, out);
  });

  test('frozen dev shows the named site', async () => {
    const dev = spawn('npm', ['--silent', '--prefix', 'named', 'run', 'dev', '--', '--port', '0'], {
      ...{cwd: sites.root, env: sites.env, detached: true, stdio: ['ignore', 'inherit', 'pipe']},
    });
    assert.ok(dev.pid !== undefined);
    try {
      const lines = createInterface(dev.stderr);
      for await (const line of lines) {
        const [origin] = /http:\S+/.exec(line) ?? [];
        if (origin === undefined) continue;
        assert.equal((await fetch(`${origin}/api/v1/samples/softfail3.json`)).status, 200);
        return;
      }
      assert.fail('it ended');
    } finally {
      process.kill(-dev.pid, 'SIGINT');
    }
  });
});

test('all other commands act on the named site, and write nothing into the site of the current folder', async t => {
  const {argv} = process;
  t.after(() => (process.argv = argv));
  await using sites = await twoSites();
  const {root, named} = sites;
  const before = await readdir(root, {recursive: true});
  const key = join(named, 'wallet.key');
  await writeFile(key, generatePrivateKey(), {mode: 0o600});
  await mkdir(join(named, 'ledger'));
  await writeFile(join(named, 'ledger/sales.db'), 'x'.repeat(5000));
  const list = join(named, 'data/sources/deny-list/2026-05-01/deny-list.csv');
  const steps: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [['verify', 'site', '--data', 'data'], /^✓ {2}frozen rows /m],
    [['deploy', 'github-pages', '--dirty'], /^dry run: gh-pages of /m],
    [['review'], /^Buyers see no change\.$/m],
    [['demo', '--product', 'none'], /"none" is not one of softfail3\. \[FZ902\]$/m],
    [['sales'], /sales\.db cannot be opened: file is not a database\. \[FZ\d+\]$/m],
    [['refund', `0x${'12'.repeat(32)}`], /sales\.db cannot be opened: file is not a database\. \[FZ\d+\]$/m],
    [['start', '--port', '0'], /sales\.db cannot be opened: file is not a database\. \[FZ\d+\]$/m],
    [['sign', 'ownership', '--key-file', key], /^The signature is not by a payee/m],
    [['witness', '--tsa', 'http://127.0.0.1:1'], /^http:\/\/127\.0\.0\.1:1:? does not answer/m],
    [['sign', 'new-key', '--write'], /^data\/site\.json names it now:$/m],
    [['build'], /^built: 1 product/m],
    [
      ['sign', 'catalogue', '--signing-key-file', join(named, 'signing.key')],
      /^signed: public\/api\/v1\/index\.json\.jws/m,
    ],
    [['sign', 'next-key', '--lost'], /^The private key \S+ is in named\/next-signing\.key: /m],
    [['freeze', 'deny-list', list], /^since 2026-05-01: 0 added/m],
  ];
  // Starting npm and a process for each step would take most of the time. The process would go to the folder of the caller.
  const {out: variables} = sites.npm(root, '--prefix', 'named', 'run', 'environment');
  const env = JSON.parse(variables) as NodeJS.ProcessEnv;
  for (const [[name = '', ...args], says] of steps) {
    process.argv = [process.execPath, FROZEN, name, ...args];
    const {out, err} = await runRaw(root, [name, ...args], {...env, npm_lifecycle_event: name});
    assert.match(out + err, says, name);
  }
  const isOutside = (path: string) => !path.startsWith('named/');
  assert.deepEqual((await readdir(root, {recursive: true})).filter(isOutside), before.filter(isOutside));
  assert.equal(await readFile(join(root, 'data/site.json'), 'utf8'), BROKEN);
});
