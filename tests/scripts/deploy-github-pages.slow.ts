import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join, relative} from 'node:path';
import {test} from 'node:test';
import {setTimeout as delay} from 'node:timers/promises';
import {toGithubPages} from '../../scripts/deploy/github-pages.ts';
import {preflight} from '../../scripts/deploy/preflight.ts';
import {CLASS_SHARE, SITE} from '../build/site-fixture.ts';
import {FROZEN} from '../project.ts';
import {gitSite} from './git-site.ts';
import {runScript} from './script-run.ts';

/** A bare repository, like one on GitHub. */
async function bareRepository() {
  const folder = await mkdtemp(join(tmpdir(), 'bare-'));
  const git = (...args: string[]) => execFileSync('git', args, {cwd: folder, encoding: 'utf8'});
  git('init', '--quiet', '--bare');
  return {
    folder,
    git,
    files: () => git('ls-tree', '-r', '--name-only', 'gh-pages').trim().split('\n'),
    [Symbol.asyncDispose]: () => rm(folder, {recursive: true, force: true}),
  };
}

test('the free documents go to a branch, change, and shrink', async t => {
  await using site = await gitSite();
  await using bare = await bareRepository();
  site.git('remote', 'add', 'origin', bare.folder);
  const deploy = (...args: string[]) => runScript('deploy', ['github-pages', '--root', site.root, ...args]);
  const free = site.files().filter(path => path !== 'api/v1/softfail3');

  await t.test('a dry run reports the omitted documents, and pushes nothing', async () => {
    for (const name of ['.hidden', 'notes.txt']) await site.write(`public/${name}`, 'mine');
    const {code, out, err} = await deploy('--dirty');
    for (const name of ['.hidden', 'notes.txt']) await rm(join(site.root, 'public', name));
    assert.equal(code, 0, err);
    assert.match(out, /^2 files in public\/ are not part of the build and are left out: \.hidden, notes\.txt$/m);
    assert.match(out, /^· {2}\/api\/v1\/softfail3 {2}paid: left out$/m);
    assert.match(
      out,
      /^GitHub Pages cannot ask for payment: paid documents are left out, and sold only at https:\/\/test\.example$/m,
    );
    assert.match(out, new RegExp(`^dry run: gh-pages of .*: ${free.length} to upload`, 'm'));
    assert.equal(bare.git('branch', '--list'), '');
  });

  await t.test('--yes pushes everything except paid documents, byte for byte', async () => {
    assert.equal((await deploy('--yes')).code, 0);
    assert.deepEqual(bare.files(), ['.nojekyll', ...free].toSorted());
    const sample = 'api/v1/samples/softfail3.json';
    assert.equal(bare.git('show', `gh-pages:${sample}`), await readFile(join(site.root, 'public', sample), 'utf8'));
  });

  await t.test('a second run pushes nothing', async () => {
    const {out} = await deploy('--yes', '--branch', 'refs/heads/gh-pages');
    assert.match(
      out,
      new RegExp(`^up to date: gh-pages of .*: 0 to upload \\(0 bytes\\), 0 to delete, ${free.length} unchanged$`, 'm'),
    );
    assert.equal(bare.git('rev-list', '--count', 'gh-pages').trim(), '1');
  });

  await t.test('other files on the branch are kept, and files that the site no longer has are removed', async () => {
    const clone = await mkdtemp(join(tmpdir(), 'clone-'));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=B', '-c', 'user.email=b@test.example', ...args], {cwd: clone});
    git('clone', '--quiet', '--branch', 'gh-pages', bare.folder, '.');
    await writeFile(join(clone, 'CNAME'), 'free.test.example\n');
    await writeFile(join(clone, '.gitattributes'), '* filter=bleach\n');
    await writeFile(join(clone, 'api/v1/softfail3'), 'a paid document that was pushed manually\n');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Name the site');
    git('push', '--quiet');
    await rm(clone, {recursive: true});
    await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, title: 'Soft Fail 4'});
    await site.commit();
    const bleach = {GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'filter.bleach.clean', GIT_CONFIG_VALUE_0: 'tr a-z x'};
    const args = ['github-pages', '--root', site.root, '--yes', '--json'];
    const {code, out, err} = await runScript('deploy', args, bleach);
    assert.equal(code, 0, err);
    const {deletes} = JSON.parse(out) as {deletes: string[]};
    assert.ok(deletes.includes('/api/v1/softfail3'));
    const index = 'api/v1/index.json';
    assert.equal(bare.git('show', `gh-pages:${index}`), await readFile(join(site.root, 'public', index), 'utf8'));
    assert.deepEqual(
      bare.files().filter(file => file === 'CNAME' || file.includes('softfail')),
      [
        'CNAME',
        ...[
          'history/softfail4.json',
          'samples/softfail4.json',
          'schemas/softfail4.json',
          'schemas/softfail4.sample.json',
        ].map(file => `api/v1/${file}`),
        'products/softfail4.html',
      ],
    );
  });

  await t.test('a site with another address is replaced only if it is named', async () => {
    await site.write('data/site.json', {...SITE, base_url: 'https://other.example'});
    await site.commit();
    const before = bare.git('rev-parse', 'gh-pages');
    const refused = await deploy('--yes');
    assert.equal(refused.code, 1);
    assert.match(
      refused.err,
      /^The branch gh-pages contains the site https:\/\/test\.example, but the site to deploy is https:\/\/other\.example$/m,
    );
    assert.equal(bare.git('rev-parse', 'gh-pages'), before);
    const {code, err} = await deploy('--yes', '--replace-site', 'https://test.example');
    assert.equal(code, 0, err);
  });
});

test('a branch with a link, a submodule, a file or a folder in the way is refused, and nothing is written through a link', async () => {
  await using site = await gitSite();
  await using bare = await bareRepository();
  const outside = await mkdtemp(join(tmpdir(), 'outside-'));
  await writeFile(join(outside, 'mine'), 'mine');
  const deploy = (...args: string[]) =>
    runScript('deploy', ['github-pages', '--root', site.root, '--remote', bare.folder, ...args]);
  const blob = (input: string) =>
    execFileSync('git', ['hash-object', '-w', '--stdin'], {cwd: bare.folder, encoding: 'utf8', input});
  for (const entries of [
    [
      ['120000', blob(join(outside, 'mine')), '.nojekyll'],
      ['120000', blob(outside), 'api'],
      ['100644', blob('mine'), 'index.html/mine'],
    ],
    [
      ['160000', '1'.repeat(40), 'api/v1'],
      ['120000', blob('llms.txt'), 'index.html'],
    ],
    [['100644', blob('mine'), 'api']],
  ] as const) {
    for (const [mode, object, path] of entries)
      bare.git('update-index', '--add', '--cacheinfo', `${mode},${object.trim()},${path}`);
    const tree = bare.git('write-tree').trim();
    bare.git('read-tree', '--empty');
    const made = bare.git('-c', 'user.name=B', '-c', 'user.email=b@test.example', 'commit-tree', '-m', 'Block', tree);
    bare.git('update-ref', 'refs/heads/gh-pages', made.trim());
    const {code, err} = await deploy('--yes');
    const says = entries.map(([, , path]) => `${path} of the branch gh-pages is in the way of a file of the site\n`);
    assert.deepEqual([code, err], [1, says.join('')]);
    assert.equal(bare.git('rev-parse', 'gh-pages'), made);
  }
  assert.deepEqual(await readdir(outside), ['mine']);
  assert.equal(await readFile(join(outside, 'mine'), 'utf8'), 'mine');
  await rm(outside, {recursive: true});
});

test('a hook of the repository of the site, and a git with SHA-256 repositories by default, do not change the deployment', async () => {
  await using site = await gitSite();
  await using bare = await bareRepository();
  const git = join(site.root, '.git');
  const env = {GIT_DIR: git, GIT_INDEX_FILE: join(git, 'index'), GIT_DEFAULT_HASH: 'sha256'};
  for (let run = 0; run < 2; run++) {
    const args = ['github-pages', '--root', site.root, '--remote', bare.folder, '--yes'];
    const {code, err} = await runScript('deploy', args, env);
    assert.equal(code, 0, err);
    assert.deepEqual(
      [site.git('branch').trim(), site.git('status', '--short'), site.git('remote')],
      ['* main', '', ''],
    );
  }
  assert.ok(bare.files().includes('llms.txt'));
});

test('settings of the repository of the site are used to reach the remote', async () => {
  await using site = await gitSite();
  await using bare = await bareRepository();
  const deploy = () => runScript('deploy', ['github-pages', '--root', site.root, '--yes']);
  const isDeployed = async () => {
    const {code, err} = await deploy();
    assert.equal(code, 0, err);
    assert.ok(bare.files().includes('llms.txt'));
    bare.git('update-ref', '-d', 'refs/heads/gh-pages');
  };
  site.git('remote', 'add', 'origin', relative(site.root, bare.folder));
  await isDeployed();
  site.git('remote', 'set-url', 'origin', `host:${bare.folder}`);
  site.git('config', 'core.sshCommand', 'sh -c \'for last; do :; done; eval "$last"\' ssh');
  await isDeployed();

  const tokens: (string | undefined)[] = [];
  const server = createServer(({headers}, response) => {
    tokens.push(headers.authorization);
    response.writeHead(403).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  site.git('remote', 'set-url', 'origin', `${origin}site.git`);
  site.git('config', `http.${origin}.extraHeader`, 'Authorization: basic dG9rZW4=');
  assert.equal((await deploy()).code, 1);
  server.close();
  assert.deepEqual(tokens, ['basic dG9rZW4=']);
});

test('a password in the address of a remote is not shown', async () => {
  await using site = await gitSite();
  await using bare = await bareRepository();
  const address = 'https://me:s3cr3t@host.test/site.git';
  const env = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.${bare.folder}.insteadOf`,
    GIT_CONFIG_VALUE_0: address,
  };
  for (const more of ['--json', '--yes']) {
    const args = ['github-pages', '--root', site.root, '--remote', address, more];
    const {code, out, err} = await runScript('deploy', args, env);
    assert.equal(code, 0, err);
    assert.match(out, /gh-pages of https:\/\/host\.test\/site\.git/);
    assert.doesNotMatch(out + err, /s3cr3t/);
  }
});

test('a branch that another push changes during the deployment is not overwritten', async () => {
  await using site = await gitSite();
  await using bare = await bareRepository();
  const ready = await preflight(site.root, 'github-pages', undefined, {acts: true});
  const to = {address: bare.folder, branch: 'gh-pages'};
  const plan = await toGithubPages(site.root, ready, to);
  site.git('push', '--quiet', bare.folder, 'main:gh-pages');
  const error = await plan.carryOut(() => undefined).catch(String);
  assert.match(String(error), /The branch gh-pages changed while this deployment was prepared/);
});

test('Ctrl-C leaves no temporary files', async () => {
  await using site = await gitSite();
  await using bare = await bareRepository();
  const TMPDIR = await mkdtemp(join(tmpdir(), 'temporary-'));
  const args = [FROZEN, 'deploy', 'github-pages', '--root', site.root, '--remote', bare.folder];
  const child = spawn(process.execPath, args, {stdio: 'ignore', env: {...process.env, TMPDIR}});
  const exited = once(child, 'exit');
  const left = () => readdir(TMPDIR, {recursive: true});
  while (!(await left()).some(path => path.endsWith('/.git')) && child.exitCode === null) await delay(5);
  child.kill('SIGINT');
  assert.deepEqual(await exited, [null, 'SIGINT']);
  assert.ok(!(await left()).some(path => path.startsWith('deploy-')));
  await rm(TMPDIR, {recursive: true});
});

test('a missing remote is reported in one line', async () => {
  await using site = await gitSite();
  const remotes: readonly (readonly [string, RegExp])[] = [
    ['origin', /^--remote "origin" is not a remote of this repository[^\n]*\n$/],
    ['/no/such/repository', /^git ls-remote [^\n]*does not appear to be a git repository\n$/],
    ['https://127.0.0.1:1/site.git', /^git ls-remote [^\n]*unable to access[^\n]*\n$/],
  ];
  for (const [remote, line] of remotes) {
    const {code, err} = await runScript('deploy', ['github-pages', '--root', site.root, '--remote', remote, '--yes']);
    assert.equal(code, 1);
    assert.match(err, line);
  }
});
