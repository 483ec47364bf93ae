import assert from 'node:assert/strict';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {CLASS_SHARE} from '../build/site-fixture.ts';
import {buildIn, codes, commit, committedSite, edit, freezeDeny, git, reviewJson, runReview} from './reviewed.ts';
import {noTerminal, onTerminal} from './terminal.ts';

/** DENY_CSV with an additional row. b and d are soft_fail there. */
const JUNE = ['a.example dead', 'b.example soft_fail', 'c.example fraud', 'e.example soft_fail', 'f.example dead'];

test('immediately after a commit there is no change for buyers', async () => {
  await using site = await committedSite();
  const {status, stdout, stderr} = await runReview(site.root);
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^from HEAD \([0-9a-f]{7}\) to the working tree\nBuyers see no change\.\n$/m);
});

test('a new freeze shows each figure before and after, and the added and removed rows', async () => {
  await using site = await committedSite();
  await freezeDeny(site, '2026-06-01', JUNE);
  const {status, stdout} = await runReview(site.root);
  assert.equal(status, 0);
  assert.match(stdout, /^ {2}as_of +2026-05-01T12:00:00\.000Z +2026-06-01T12:00:00\.000Z +\+31 days$/m);
  assert.match(stdout, /^ {2}rows_n +4 +5 +\+1 +\+25%$/m);
  assert.match(stdout, /^ {2}soft_fail_ratio +0\.5 +0\.4 +-10 points +-20%$/m);
  assert.match(stdout, /^ {2}counts\.dead +1 +2 +\+1 +\+100%$/m);
  assert.match(
    stdout,
    /rows: 1 added, 1 removed, by url\n +\+ https:\/\/e\.example\/ {2}class soft_fail\n +- https:\/\/d\.example\//,
  );
  assert.match(stdout, /new in its history: 2026-06-01T12:00:00\.000Z/);
  assert.match(
    stdout,
    /note:\n +- Frozen source: deny-list as of 2026-05-01.*\n +\+ Frozen source: deny-list as of 2026-06-01/,
  );
  assert.equal(stdout.includes('\u001b'), false, 'no colours in a pipe');
});

test('the output has colours on a terminal with colours', {skip: noTerminal}, async () => {
  await using site = await committedSite();
  await freezeDeny(site, '2026-06-01', JUNE);
  const colour = (env: NodeJS.ProcessEnv) =>
    onTerminal('review', ['--root', site.root], env).shown.includes('\u001b[32m');
  assert.equal(colour({NO_COLOR: undefined}), true);
  assert.equal(colour({NO_COLOR: '1'}), false);
});

test('two revisions are compared independently of the files on disk', async () => {
  await using site = await committedSite();
  await freezeDeny(site, '2026-06-01', JUNE);
  commit(site.root);
  await freezeDeny(site, '2026-07-01', ['z.example dead']);
  const [product] = (await reviewJson(site.root, '--base', 'HEAD~1', '--head', 'HEAD')).products;
  assert.deepEqual(product?.['as_of'], {before: '2026-05-01T12:00:00.000Z', after: '2026-06-01T12:00:00.000Z'});
  const [back] = (await reviewJson(site.root, '--base', 'HEAD', '--head', 'HEAD^')).products;
  assert.deepEqual(back?.['as_of'], {before: '2026-06-01T12:00:00.000Z', after: '2026-05-01T12:00:00.000Z'});
});

test('--json has exact numbers', async () => {
  await using site = await committedSite();
  await freezeDeny(site, '2026-06-01', ['a.example dead', 'b.example soft_fail', 'c.example fraud']);
  const {ok, status, products} = await reviewJson(site.root);
  assert.deepEqual([ok, status], [true, 0]);
  const figures = products[0]?.['figures'] as {path: string}[];
  assert.deepEqual(
    figures.find(({path}) => path === 'soft_fail_ratio'),
    {
      path: 'soft_fail_ratio',
      before: 0.5,
      after: 1 / 3,
      share: true,
      difference: -0.166666666667,
      relative: -0.333333333333,
    },
  );
});

test('--max-rows shows this many rows and counts the rest', async () => {
  await using site = await committedSite();
  await freezeDeny(site, '2026-06-01', ['k.example soft_fail', 'l.example soft_fail', 'm.example soft_fail']);
  const {stdout} = await runReview(site.root, ['--max-rows', '2']);
  assert.match(stdout, /\+ https:\/\/l\.example\/ .*\n +… and 1 more added\n/);
  const {rows} = (await reviewJson(site.root, '--max-rows', '0')).products[0] as {rows: {added: object}};
  assert.deepEqual(rows.added, {shown: [], total: 3});
});

test('a changed row shows the changed column, and a column that changes in every row is one line', async () => {
  await using site = await committedSite();
  const fields = [
    {name: 'url', type: 'string'},
    {name: 'seen', type: 'integer'},
    {name: 'class', type: 'string', constraints: {enum: ['soft_fail']}},
  ];
  const freeze = async (date: string, seen: readonly number[]) => {
    const rows = seen.map((count, index) => `https://${'abc'[index] ?? ''}.example/,${count},soft_fail`);
    await site.freeze({
      source: 'deny-list',
      date,
      files: {'l.csv': `url,seen,class\n${rows.join('\n')}\n`},
      schema: {fields, primaryKey: ['url']},
    });
    await buildIn(site);
  };
  await freeze('2026-05-01', [1, 1, 2]);
  commit(site.root);
  await freeze('2026-06-01', [1, 5, 2]);
  assert.match(
    (await runReview(site.root)).stdout,
    /rows: 1 changed, by url\n +~ https:\/\/b\.example\/ {2}seen 1 → 5\n/,
  );

  await freeze('2026-06-01', [2, 5, 3]);
  assert.match(
    (await runReview(site.root)).stdout,
    /rows: 1 column changed in every row, by url\n +~ seen changed in every row, in the first 1 → 2\n(?! +~)/,
  );
  // For the same as_of this breaks a promise, folded or not.
  await rm(join(site.root, 'data/sources/deny-list/2026-06-01'), {recursive: true});
  await freeze('2026-05-01', [2, 5, 3]);
  assert.ok(codes(await reviewJson(site.root)).includes('broken rows-changed'));
});

test('a removed product with a new one of the same source and kind causes a question', async () => {
  await using site = await committedSite();
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, title: 'Soft Fail Three'});
  await buildIn(site);
  const {status, stdout} = await runReview(site.root);
  assert.equal(status, 1);
  assert.match(
    stdout,
    /warning: renamed\? Soft Fail 3 was removed, and Soft Fail Three added, .*: "name": "softfail3" in its product keeps/,
  );
  assert.match((await runReview(site.root, ['--format', 'markdown'])).stdout, /renamed\? `Soft Fail 3` was removed/);
  assert.deepEqual(codes(await reviewJson(site.root)), ['broken product-removed', 'warning renamed']);
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, title: 'Soft Fail Three', name: 'softfail3'});
  await buildIn(site);
  assert.ok(!codes(await reviewJson(site.root)).includes('warning renamed'));
});

test('a new product and its rule are shown', async () => {
  await using site = await committedSite();
  await site.write('data/products/dead.json', {...CLASS_SHARE, title: 'Dead Share', class: 'dead', price: '$0.5'});
  await buildIn(site);
  const {status, stdout} = await runReview(site.root);
  assert.equal(status, 0);
  assert.match(stdout, /^Dead Share \(deadshare\) added$/m);
  assert.match(stdout, /^Unchanged\nSoft Fail 3$/m);
  assert.match(stdout, /^ {2}deadshare {2}added {2}\/api\/v1\/deadshare +\$0\.5$/m);
});

test('everything in the first build is new, and no promise is broken', async () => {
  await using site = await committedSite();
  git(site.root, 'rm', '-r', '--quiet', '--cached', 'public', 'paywall');
  git(site.root, 'commit', '--quiet', '--message=not built');
  const {status, stdout} = await runReview(site.root);
  assert.equal(status, 0);
  assert.match(stdout, /nothing was built in this folder: everything is new, and no promise is checked/);
  assert.match(stdout, /^Soft Fail 3 \(softfail3\) added$/m);
  assert.deepEqual(codes(await reviewJson(site.root)), []);
});

test('unbuilt data is the first line in every output format, and fails the review', async () => {
  await using site = await committedSite();
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.07'});
  await edit(site.root, 'public/api/v1/index.json', catalogue => (catalogue['title'] = 'Edited'));
  const says = /^the build is stale: a build of data\/ would change /;
  const terminal = await runReview(site.root);
  assert.equal(terminal.status, 1);
  assert.match(terminal.stdout, says);
  assert.doesNotMatch(terminal.stdout, /No promise is broken|Buyers see no change/);
  const {stdout} = await runReview(site.root, ['--format', 'markdown']);
  assert.match(stdout.split('\n')[2] ?? '', says);
  const json = await runReview(site.root, ['--json']);
  assert.match(json.stdout, /^\{\n {2}"stale": "the build is stale/);
  const {ok, status} = await reviewJson(site.root);
  assert.deepEqual([ok, status], [false, 1]);
  assert.equal((await runReview(site.root, ['--base', 'HEAD', '--head', 'HEAD'])).status, 0);
  await site.write('data/products/soft-fail-3.json', '{"price": }');
  assert.match(
    (await runReview(site.root)).stdout,
    /^the build is stale: data\/ cannot be built \(data\/products\/soft-fail-3/,
  );
});

test('--help explains the command and has an example, and wrong usage ends with 2', async () => {
  const help = await runReview('.', ['--help']);
  assert.equal(help.status, 0);
  assert.match(help.stdout, /Usage: .*--base.*Exit codes.*Example: /s);
  for (const args of [
    ['--bsae', 'x'],
    ['stray'],
    ['--format', 'xml'],
    ['--max-rows', '-1'],
    ['--max-rows', 'many'],
    ['--base', ''],
    ['--base'],
  ]) {
    const {status, stderr} = await runReview('.', args);
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, /^(Unknown option|Too many arguments|--[a-z-]+ needs|--[a-z-]+ "[^"]*" is) [^\n]*\n$/);
    assert.doesNotMatch(stderr, /\n\s+at /);
  }
});

test('new parts are reported, removed parts and changed ones for the same as_of are warnings, and no promise is broken', async () => {
  await using site = await committedSite();
  const sell = async (more: object) => {
    await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, ...more});
    await buildIn(site);
  };
  const parts = ['/api/v1/softfail3-1', '/api/v1/softfail3-2'];
  await sell({parts: 1});
  const came = await reviewJson(site.root);
  assert.deepEqual([came.status, codes(came)], [0, []]);
  const {lists} = came.products[0] as {lists: {path: string; added: {shown: string[]}}[]};
  assert.deepEqual(
    lists.map(({path, added}) => [path, added.shown]),
    [['editions', parts]],
  );
  commit(site.root);
  await sell({parts: 2});
  assert.deepEqual(codes(await reviewJson(site.root)), ['warning edition-gone', 'warning edition-changed']);
});
