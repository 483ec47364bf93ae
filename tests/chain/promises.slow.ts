import assert from 'node:assert/strict';
import {cp, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {isBroken} from '../../scripts/review/report.ts';
import {review} from '../../scripts/review/review.ts';
import {plain} from '../../scripts/review/words.ts';
import {SITE} from '../build/site-fixture.ts';
import {rawServer} from '../scripts/raw-server.ts';
import {commit, git} from '../scripts/reviewed.ts';
import {runScript} from '../scripts/script-run.ts';
import {chainedSite, DATES, type ChainedSite} from './chained-site.ts';

const [MARCH, APRIL, MAY, JUNE] = DATES;
const OTHER = 'url,class\nhttps://new.example/,dead\n';

async function built(site: ChainedSite): Promise<void> {
  assert.equal((await site.build()).err, '');
}

/** Ways to rewrite a chain so that it is still complete, and the message of the review for each. */
const rewrites: Readonly<Record<string, readonly [rewrite: (site: ChainedSite) => Promise<void>, says: RegExp]>> = {
  'a freeze replaced together with its digest': [
    async site => {
      await site.put(MAY, APRIL, OTHER);
      await site.put(JUNE, MAY);
    },
    /^the freezes of 2026-05-01 and 2026-06-01 of deny-list were changed: restore what was published, and publish a correction as a new freeze with a later as_of$/,
  ],
  'the last freeze replaced, which no other names': [
    site => site.put(JUNE, MAY, OTHER),
    /^the freeze of 2026-06-01 of deny-list was changed: restore what was published, and publish a correction as a new freeze with a later as_of$/,
  ],
  'a removed freeze': [
    async site => {
      await site.take(APRIL);
      await site.put(MAY, MARCH);
      await site.put(JUNE, MAY);
    },
    /^the freeze of 2026-04-01 of deny-list was removed: restore what was removed and build again$/,
  ],
  'an inserted freeze': [
    async site => {
      await site.put('2026-05-15', MAY);
      await site.put(JUNE, '2026-05-15');
    },
    /^the freeze of 2026-05-15 of deny-list was inserted before 2026-06-01 after that freeze was published: remove it again; a list that was missed can be published as a new freeze with a later as_of$/,
  ],
  'the last freeze taken out': [
    site => site.take(JUNE),
    /^the freeze of 2026-06-01 of deny-list was removed: the source was reset to 2026-05-01: restore the later freezes and build again$/,
  ],
  'the chain cut': [
    async site => {
      for (const date of DATES) await site.put(date);
    },
    /^the chain of deny-list, up to 2026-06-01, is no longer published: restore its freezes and build again; a chain is published only if a product uses its source and it has two freezes or more$/,
  ],
};

test('a review reports a rewritten chain as a broken promise, but not a longer one', async t => {
  await using site = await chainedSite();
  git(site.root, 'init', '--quiet');
  await built(site);
  commit(site.root);
  const found = async () => {
    const made = await review({root: site.root, base: 'HEAD', head: undefined, rows: 0});
    const chain = made.findings.filter(({code}) => code === 'chain-rewritten');
    return {isBroken: isBroken(made), says: chain.map(({says}) => plain(says))};
  };
  for (const [name, [rewrite, says]] of Object.entries(rewrites))
    await t.test(name, async () => {
      await rewrite(site);
      await built(site);
      const {isBroken, says: said} = await found();
      assert.equal(isBroken, true);
      assert.ok(
        said.some(sentence => says.test(sentence)),
        said.join('\n'),
      );
      git(site.root, 'checkout', '--quiet', '.');
      git(site.root, 'clean', '--quiet', '--force', '-d', 'data');
    });
  await site.put('2026-07-01', JUNE);
  await built(site);
  assert.deepEqual(await found(), {isBroken: false, says: []});
});

test('deploy refuses a chain that differs from the live one, unless its source is named', async () => {
  await using site = await chainedSite([MARCH, APRIL]);
  const live = join(site.root, '.git', 'live');
  await using server = await rawServer((request, response) => {
    void readFile(join(live, request.url ?? '')).then(
      bytes => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  git(site.root, 'init', '--quiet');
  git(site.root, 'init', '--quiet', '--bare', '.git/branch');
  await site.write('data/site.json', {...SITE, base_url: server.url});
  await built(site);
  await cp(join(site.root, 'public'), live, {recursive: true});
  await site.put(MARCH, undefined, OTHER);
  await site.put(APRIL, MARCH);
  await built(site);
  commit(site.root);
  const deploy = (...args: string[]) =>
    runScript('deploy', ['github-pages', '--root', site.root, '--remote', '.git/branch', ...args]);
  const named = ['--break-promises', 'softfail3'];
  const refused = await deploy(...named);
  assert.equal(refused.code, 1);
  assert.equal(
    refused.err,
    `${server.url}/api/v1/index.json would break a promise to buyers: the freezes of 2026-03-01 and 2026-04-01 of deny-list were changed: restore what was published, and publish a correction as a new freeze with a later as_of\n`,
  );
  const meant = await deploy(...named, '--break-promises', 'deny-list');
  assert.equal(meant.code, 0, meant.err);
  assert.match(
    meant.out,
    /^a promise to buyers is broken: the freezes of 2026-03-01 and 2026-04-01 of deny-list were changed: restore what was published, and publish a correction as a new freeze with a later as_of$/m,
  );
});
