import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {SHIPPED_PAYEE} from '../../shared/payees.ts';
import {emptySite, SITE} from '../build/site-fixture.ts';
import {gitSite, type GitSite} from './git-site.ts';
import {account} from './s3-server.ts';
import {runScript} from './script-run.ts';

const unowned = {network: 'eip155:8453', pay_to: '0x1111111111111111111111111111111111111111'};

const cases: readonly (readonly [string, (site: GitSite) => Promise<unknown>, string[], RegExp])[] = [
  ['what is not committed', site => site.write('data/notes.txt', 'later'), [], /^data\/notes\.txt is not committed\n$/],
  [
    'several files that are not committed',
    async site => {
      await site.write('data/notes.txt', 'later');
      await site.write('notes.txt', 'later');
    },
    [],
    /^data\/notes\.txt is not committed \(one of 2 paths\)\n$/,
  ],
  [
    'an uncommitted change that git is configured to ignore',
    async site => {
      site.git('config', 'status.showUntrackedFiles', 'no');
      await site.write('data/notes.txt', 'later');
    },
    [],
    /^data\/notes\.txt is not committed\n$/,
  ],
  [
    'what data/ does not give',
    site => site.write('public/api/v1/softfail3', '{}'),
    ['--dirty'],
    /^public\/api\/v1\/softfail3 differs from what a build of data\/ writes$/m,
  ],
  [
    'data/ that is wrong',
    site => site.write('data/site.json', {...SITE, base_url: 'snapshots.example'}),
    ['--dirty'],
    /^data\/site\.json:3: base_url "snapshots\.example" is not an http\(s\) origin/,
  ],
  [
    'a host that the rules were not written for',
    async site => {
      await site.write('data/site.json', {...SITE, hosts: ['serve']});
      await site.commit();
    },
    [],
    /^paywall\/rules\/rules\.json does not contain rules for cloudflare, so every document would be free there/,
  ],
  [
    'a site without a payee',
    site => site.write('data/site.json', {...SITE, payment: {...SITE.payment, accepts: [unowned]}}),
    ['--dirty'],
    /^data\/site\.json:8: payment\.accepts\[0\]\.pay_to "0x1+" is an address without an owner: money paid on eip155:8453 would be lost\n$/,
  ],
  [
    'the payee of the demonstration on a main network',
    async site => {
      const accepts = [{network: 'eip155:8453', pay_to: SHIPPED_PAYEE}];
      await site.write('data/site.json', {...SITE, payment: {...SITE.payment, accepts}});
      await site.commit();
    },
    [],
    /^catalogue fails "payee": data\/site\.json: payment\.accepts\[0\]\.pay_to "0x\w+" is the payee of the demonstration, not yours, but payments on Base are real money\n/,
  ],
  [
    'a forgotten paid document',
    async site => {
      await writeFile(join(site.root, 'public/api/v1/old'), await readFile(join(site.root, 'public/api/v1/softfail3')));
      await site.commit();
    },
    [],
    /^public\/ fails "strays": \/api\/v1\/old is below \/api\/v1\/ but not in the catalogue: delete it, or build the site again\n$/,
  ],
];

for (const [says, spoil, flags, line] of cases) {
  test(`refuses ${says}`, async () => {
    await using site = await gitSite();
    await spoil(site);
    const {code, err} = await runScript('deploy', ['cloudflare', '--root', site.root, ...flags]);
    assert.equal(code, 1);
    assert.match(err, line);
    assert.doesNotMatch(err, /\n\s+at /);
  });
}

test('refuses to upload a pass to S3 before a request to AWS', async () => {
  await using site = await gitSite();
  const pass = {
    title: 'Deny Pass',
    kind: 'bundle',
    price: '$0.05',
    bundle: ['softfail3'],
    next: 2,
    difference: 'is a pass',
  };
  await site.write('data/products/pass.json', pass);
  await site.commit();
  const bucket = ['--bucket', 'snapshots', '--endpoint-url', 'http://127.0.0.1:1', '--private-bucket'];
  for (const flags of [[], ['--yes']]) {
    const {code, err} = await runScript('deploy', ['s3', '--root', site.root, ...bucket, ...flags], account);
    assert.equal(code, 1);
    assert.match(
      err,
      /^paywall\/rules\/rules\.json does not contain rules for aws, so every document would be free there$/m,
    );
  }
});

test('checks the required settings before it checks the site', async () => {
  await using site = await emptySite();
  const none = {AWS_REGION: undefined, AWS_DEFAULT_REGION: undefined};
  const home = {HOME: site.root, XDG_CONFIG_HOME: site.root, CLOUDFLARE_API_TOKEN: ''};
  const cases: readonly (readonly [string[], NodeJS.ProcessEnv, number, RegExp])[] = [
    [['s3', '--bucket', 'snapshots'], {...home, ...account, ...none}, 2, /^The region cannot be found/],
    [['cloudflare', '--yes'], home, 2, /^The token of Cloudflare is missing$/m],
    [['cloudflare'], {FROZEN_SETTLER_KEY: `0x${'1'.repeat(64)}`}, 2, /^FROZEN_SETTLER_KEY needs FROZEN_RPC_URL/],
    [
      ['github-pages', '--remote', 'elsewhere'],
      {},
      1,
      /^(?:--remote "elsewhere" is not a remote|\S+ is not in a git repository)/,
    ],
  ];
  for (const [args, env, status, says] of cases) {
    const {code, err} = await runScript('deploy', [...args, '--root', site.root], env);
    assert.match(err, says);
    assert.equal(code, status, err);
  }
});

test('refuses a folder outside a repository, unless an option allows it', async () => {
  await using site = await emptySite();
  const {code, err} = await runScript('deploy', ['cloudflare', '--root', site.root]);
  assert.equal(code, 1);
  assert.match(err, / is not in a git repository\n$/);
});

test('reports in one line the error of git about a repository that it does not trust', async () => {
  await using site = await gitSite();
  const env = {GIT_TEST_ASSUME_DIFFERENT_OWNER: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null'};
  const says =
    /^[^\n]* cannot be (?:checked|used): git says "fatal: detected dubious ownership in repository at '[^\n]+\n$/;
  for (const flags of [[], ['--dirty']]) {
    const {code, err} = await runScript('deploy', ['github-pages', '--root', site.root, ...flags], env);
    assert.equal(code, 1);
    assert.match(err, says);
  }
});

test('wrong usage is reported', async () => {
  const wrong: readonly (readonly [string[], RegExp])[] = [
    [[], /^Usage: frozen deploy /],
    [['ftp'], /^Unknown command 'ftp'\n$/],
    [['s3'], /^--bucket is missing\n/],
    [['cloudflare', '--bucket', 'x'], /^Unknown option '--bucket'/],
    [['cloudflare', '--remote', 'x'], /^Unknown option '--remote'/],
    [['github-pages', '--private-bucket'], /^Unknown option '--private-bucket'/],
    [['cloudflare', '--yse'], /^Unknown option '--yse' \(Did you mean --yes\?\)\n$/],
  ];
  for (const [args, line] of wrong) {
    const {code, err} = await runScript('deploy', args);
    assert.equal(code, 2);
    assert.match(err, line);
  }
  const {code, out} = await runScript('deploy', ['--help']);
  assert.equal(code, 0);
  assert.match(out, /Usage: .*github-pages.*Example: .*--yes/s);
});
