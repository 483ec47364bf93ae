import assert from 'node:assert/strict';
import {cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {test} from 'node:test';
import {which} from 'zx';
import {denySite} from '../build/site-fixture.ts';
import {commit, committedSite, edit, freezeDeny, git, reviewJson, runReview} from './reviewed.ts';

const CATALOGUE = 'public/api/v1/index.json';

/** Asserts one line on standard error, nothing on standard output, and exit code 1. */
async function refuses(root: string, args: readonly string[], says: RegExp, env?: NodeJS.ProcessEnv): Promise<void> {
  const {status, stdout, stderr} = await runReview(root, args, env);
  assert.equal(status, 1, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, says);
  assert.equal(stderr.trim().split('\n').length, 1, stderr);
}

/** A folder that is removed afterwards. */
async function folder(name = ''): Promise<AsyncDisposable & {path: string}> {
  const top = await mkdtemp(join(tmpdir(), 'review-'));
  await mkdir(join(top, name), {recursive: true});
  return {path: join(top, name), [Symbol.asyncDispose]: () => rm(top, {recursive: true, force: true})};
}

test('a folder that is not a repository is refused', async () => {
  await using site = await denySite();
  await refuses(site.root, [], /^\S+ is not in a git repository$/m);
});

test('a repository without commits is refused', async () => {
  await using site = await denySite();
  git(site.root, 'init', '--quiet');
  await refuses(site.root, [], /^--base "HEAD" is not a commit of this repository/);
});

test('a revision that is not a commit is refused', async () => {
  await using site = await committedSite();
  for (const revision of ['v9', '--all', '-h', 'HEAD:public', '^HEAD', 'HEAD..HEAD', '$(id)', 'a\nb', '0'.repeat(40)]) {
    await refuses(site.root, [`--base=${revision}`], /^--base ".*" is not a commit of this repository/);
  }
  for (const revision of ['v9', '--all', 'HEAD:public'])
    await refuses(site.root, [`--head=${revision}`], /^--head ".*" is not a commit of this repository/);
});

test('a machine without git is reported', async () => {
  await using site = await committedSite();
  await using bin = await folder();
  await refuses(site.root, [], /^git is not installed$/m, {PATH: bin.path});
});

test('a machine with git and without bash is reported', async () => {
  await using site = await committedSite();
  await using bin = await folder();
  await symlink(await which('git'), join(bin.path, 'git'));
  await refuses(site.root, [], /^bash is not installed, but is needed to run git$/m, {PATH: bin.path});
});

test('a document that is invalid in one state is named with its line', async () => {
  await using site = await committedSite();
  await freezeDeny(site, '2026-06-01', ['a.example dead']);
  const sample = 'public/api/v1/samples/softfail3.json';
  const good = await readFile(join(site.root, sample));
  await writeFile(join(site.root, sample), '{"as_of": 1,\n oops}');
  await refuses(site.root, [], /^public\/api\/v1\/samples\/softfail3\.json:2:2 is not JSON/);
  commit(site.root);
  await writeFile(join(site.root, sample), good);
  await refuses(site.root, [], /^public\/api\/v1\/samples\/softfail3\.json:2:2 in HEAD \([0-9a-f]{7}\) is not JSON/);
  await rm(join(site.root, 'public/api/v1/softfail3'));
  await refuses(site.root, ['--base', 'HEAD~1'], /^public\/api\/v1\/softfail3 does not exist$/m);
});

test('a Git LFS pointer in place of a document is named', async () => {
  await using site = await committedSite();
  const sample = 'public/api/v1/samples/softfail3.json';
  const good = await readFile(join(site.root, sample));
  await writeFile(join(site.root, sample), 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n');
  commit(site.root);
  await writeFile(join(site.root, sample), good);
  await edit(site.root, CATALOGUE, catalogue => {
    catalogue['products'] = (catalogue['products'] as object[]).map(product => ({...product, price: '$0.09'}));
  });
  await refuses(
    site.root,
    [],
    /^public\/api\/v1\/samples\/softfail3\.json in HEAD \([0-9a-f]{7}\) is a Git LFS pointer/,
  );
});

test('an invalid catalogue and invalid rules are refused', async () => {
  await using site = await committedSite();
  const original = await readFile(join(site.root, CATALOGUE));
  await edit(site.root, CATALOGUE, catalogue => (catalogue['products'] = [{name: '../x'}]));
  const {status, stderr} = await runReview(site.root);
  assert.equal(status, 1);
  assert.match(stderr, /^public\/api\/v1\/index\.json: products\[0\]\.price is missing$/m);
  await writeFile(join(site.root, CATALOGUE), original);
  await writeFile(join(site.root, 'paywall/rules/rules.json'), '[]');
  await refuses(site.root, [], /^paywall\/rules\/rules\.json is not of type object$/m);
});

test('a later state without a site is refused', async () => {
  await using site = await committedSite();
  await rm(join(site.root, 'public'), {recursive: true});
  await rm(join(site.root, 'paywall'), {recursive: true});
  await refuses(
    site.root,
    [],
    /^public\/api\/v1\/index\.json does not exist: the working tree does not contain a built site$/m,
  );
});

test('an error is also reported as JSON and in pull requests', async () => {
  await using site = await denySite();
  const json = await runReview(site.root, ['--json']);
  assert.equal((JSON.parse(json.stdout) as {ok: boolean}).ok, false);
  const {status, stdout} = await runReview(site.root, ['--format', 'markdown']);
  assert.equal(status, 1);
  assert.match(
    stdout,
    /^<!-- frozen-snapshots-review -->\n\nThe review cannot be made:\n\n- ❌ `\S+ is not in a git repository/,
  );
});

for (const name of ['sites/first', "o'dd $(x) `y`/ü *[a]\n:(top)"]) {
  test(`a site in a folder of a repository is reviewed: ${JSON.stringify(name)}`, async () => {
    await using site = await denySite();
    assert.equal((await site.build()).code, 0);
    await using place = await folder(join('repository', name));
    const repository = place.path.slice(0, -name.length - 1);
    await cp(site.root, place.path, {recursive: true});
    await writeFile(join(repository, 'public'), 'of another site');
    git(repository, 'init', '--quiet');
    commit(repository);
    assert.match((await runReview(place.path)).stdout, /Buyers see no change\./);
    await edit(place.path, CATALOGUE, catalogue => {
      catalogue['products'] = (catalogue['products'] as object[]).map(product => ({...product, price: '$0.09'}));
    });
    assert.match((await runReview(place.path)).stdout, /^ {2}price +\$0\.02 +\$0\.09/m);
  });
}

test('nothing is checked out, and index and files do not change', async () => {
  await using site = await committedSite();
  await freezeDeny(site, '2026-06-01', ['a.example dead']);
  commit(site.root);
  await site.write('public/unfinished\nname', 'kept');
  git(site.root, 'add', 'public');
  await site.write('public/unfinished\nname', 'kept, and changed');
  const before = git(site.root, 'status', '--porcelain', '-z') + git(site.root, 'rev-parse', 'HEAD');
  assert.equal((await reviewJson(site.root, '--base', 'HEAD~1', '--head', 'HEAD')).status, 0);
  assert.equal(git(site.root, 'status', '--porcelain', '-z') + git(site.root, 'rev-parse', 'HEAD'), before);
});

test('branches with odd names, tags and a repository of SHA-256 are read', async () => {
  await using site = await denySite();
  git(site.root, 'init', '--quiet', '--object-format=sha256');
  assert.equal((await site.build()).code, 0);
  commit(site.root);
  git(site.root, 'tag', '--annotate', '--message=live', 'live');
  git(site.root, 'branch', "o'dd;$(x)-ü");
  assert.match((await runReview(site.root)).stdout, /Buyers see no change\./);
  await freezeDeny(site, '2026-06-01', ['a.example dead']);
  commit(site.root);
  for (const base of ['live', "o'dd;$(x)-ü", ':/state', 'HEAD@{1}']) {
    const {status, products} = await reviewJson(site.root, `--base=${base}`, '--head', 'HEAD');
    const expected = base === ':/state' ? 'unchanged' : 'changed';
    assert.deepEqual([status, products[0]?.['status']], [0, expected], base);
  }
});

test('a link in place of a document counts as missing', async () => {
  await using site = await committedSite();
  await freezeDeny(site, '2026-06-01', ['a.example dead']);
  const paid = join(site.root, 'public/api/v1/softfail3');
  await rm(paid);
  await symlink('samples/softfail3.json', join(dirname(paid), 'softfail3'));
  await refuses(site.root, [], /^public\/api\/v1\/softfail3 does not exist$/m);
});

test('another error of git than a missing repository has another remedy', async () => {
  await using site = await committedSite();
  const {stdout} = await runReview(site.root, ['--json'], {GIT_TEST_ASSUME_DIFFERENT_OWNER: '1'});
  const {errors} = JSON.parse(stdout) as {errors: {message: string; fix: string}[]};
  assert.match(errors[0]?.message ?? '', /dubious ownership/);
  assert.match(errors[0]?.fix ?? '', /^Correct what git reports/);
});
