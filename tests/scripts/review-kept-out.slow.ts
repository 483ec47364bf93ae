import assert from 'node:assert/strict';
import {rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import type {SiteFixture} from '../build/site-fixture.ts';
import {blockOf, readPage} from '../docs/page.ts';
import {codes, commit, committedSite, edit, freezeDeny, git, reviewJson, runReview} from './reviewed.ts';

const PAID = 'public/api/v1/softfail3';

/** A site that does not commit its paid documents, with the lines for `.gitignore` from the docs. */
async function publicSite(): Promise<SiteFixture> {
  const site = await committedSite();
  await writeFile(join(site.root, '.gitignore'), `${blockOf(readPage('docs/operating.md'), 'gitignore')}\n`);
  git(site.root, 'rm', '--quiet', '-r', '--cached', 'public');
  commit(site.root);
  return site;
}

test('the lines of the docs exclude only the paid documents from the repository', async () => {
  await using site = await publicSite();
  const kept = git(site.root, 'diff', '--name-only', 'HEAD~1', 'HEAD').trim().split('\n');
  assert.deepEqual(kept, ['.gitignore', PAID]);
});

test('paid documents outside the repository are not compared, and the review says so', async () => {
  await using site = await publicSite();
  assert.match((await runReview(site.root)).stdout, /Buyers see no change\./);
  await freezeDeny(site, '2026-06-01', ['a.example dead', 'b.example soft_fail']);
  for (const args of [[], ['--format', 'markdown']]) {
    const {status, stdout, stderr} = await runReview(site.root, args);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /the paid documents are not in the repository: their rows are not compared/);
    assert.match(stdout, /soft_fail_n/);
    assert.doesNotMatch(stdout, /rows: \d+ added/);
  }
});

test('a changed one for the same as_of is found by its digest', async () => {
  await using site = await publicSite();
  await edit(site.root, 'public/api/v1/index.json', catalogue => {
    const [product] = catalogue['products'] as {paid: {sha256: string}}[];
    if (product) product.paid.sha256 = '0'.repeat(64);
  });
  const said = await reviewJson(site.root);
  // A build would undo the edit, so the build is stale.
  assert.deepEqual([said.status, codes(said)], [1, ['warning paid-unseen']]);
});

test('broken promises about files in the repository are still found', async () => {
  await using site = await publicSite();
  await edit(site.root, 'public/api/v1/history/softfail3.json', history => {
    const [point] = history['points'] as {soft_fail_n: number}[];
    if (point) point.soft_fail_n = 99;
  });
  const said = await reviewJson(site.root);
  assert.equal(said.status, 1);
  assert.ok(codes(said).includes('broken figures-changed'));
});

test('a single missing paid document is a fault', async () => {
  await using site = await committedSite();
  await freezeDeny(site, '2026-06-01', ['a.example dead']);
  await rm(join(site.root, PAID));
  assert.match((await runReview(site.root)).stderr, /^public\/api\/v1\/softfail3 does not exist$/m);
});
