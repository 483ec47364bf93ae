import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {stage} from '../../scripts/freeze/staging.ts';
import {sha256} from '../../shared/digest.ts';
import {freezeFixture, type FreezeFixture} from '../scripts/freeze-fixture.ts';
import {readTree} from '../build/tree.ts';
import {git} from '../scripts/reviewed.ts';

interface Said {
  readonly previous: string | null;
  readonly notes: readonly string[];
}

/** A site in a repository, and the JSON output of `freeze` for a list at a date. */
async function fixtureIn(): Promise<FreezeFixture & {take(date: string, ...more: string[]): Promise<Said>}> {
  const fixture = await freezeFixture();
  git(fixture.site.root, 'init', '--quiet');
  return {
    ...fixture,
    async take(date, rows = date, ...more) {
      const list = await fixture.list(`${rows}.csv`, `url\nhttps://${rows}.example/\n`);
      const {out, err} = await fixture.freeze('things', list, '--as-of', date, '--json', ...more);
      if (err !== '') throw new Error(err);
      return JSON.parse(out) as Said;
    },
  };
}

const digestOf = async ({site}: FreezeFixture, date: string) =>
  sha256(await readFile(join(site.root, 'data/sources/things', date, 'datapackage.json')));

describe('freeze', {concurrency: 2}, () => {
  test('names the previous descriptor, except in the first freeze of a source', async () => {
    await using fixture = await fixtureIn();
    assert.deepEqual((await fixture.take('2026-05-01')).previous, null);
    const {previous} = await fixture.take('2026-05-03');
    assert.equal(previous, await digestOf(fixture, '2026-05-01'));
    assert.equal(
      (await fixture.take('2026-05-04', 'dry', '--dry-run')).previous,
      await digestOf(fixture, '2026-05-03'),
    );
  });

  test('does not fork a chain: only one process can freeze a source at a time', async () => {
    await using fixture = await fixtureIn();
    await fixture.take('2026-05-01');
    const order = (date: string) => ({root: fixture.site.root, source: 'things', date, replace: false, dryRun: false});
    {
      using other = stage(order('2026-05-02'));
      await other.make();
      await assert.rejects(
        fixture.take('2026-05-03'),
        /^Error: data\/sources\/things is being frozen by another process/,
      );
    }
    const lock = join(fixture.site.root, 'data/sources/things/.freeze-lock');
    execFileSync('mkfifo', [lock]);
    await assert.rejects(fixture.take('2026-05-03'), /^Error: data\/sources\/things cannot be written \(ENXIO\)/);
    await rm(lock);
    // Any of them may succeed, but only one.
    const crowd = Array.from({length: 8}, (_, n) => stage(order(`2026-06-0${n + 1}`)));
    const made = await Promise.allSettled(crowd.map(one => one.make()));
    assert.equal(made.filter(({status}) => status === 'fulfilled').length, 1);
    for (const one of crowd) one[Symbol.dispose]();
    const {previous} = await fixture.take('2026-05-03');
    assert.equal(previous, await digestOf(fixture, '2026-05-01'));
  });

  test('refuses a freeze after a break of the chain, until the first one after the break is frozen again', async () => {
    await using fixture = await fixtureIn();
    for (const date of ['2026-05-01', '2026-05-03', '2026-05-05']) await fixture.take(date);
    await rm(join(fixture.site.root, 'data/sources/things/2026-05-03'), {recursive: true});
    await assert.rejects(
      fixture.take('2026-05-07', 'dry', '--dry-run'),
      /2026-05-05\/datapackage\.json:\d+: previous .* is not the SHA-256 of the descriptor of 2026-05-01, /,
    );
    await fixture.take('2026-05-05', 'again', '--replace');
    assert.equal((await fixture.take('2026-05-07')).previous, await digestOf(fixture, '2026-05-05'));
  });

  test('refuses a freeze between two of a chain, and allows one before the chain begins', async () => {
    await using fixture = await fixtureIn();
    const {root} = fixture.site;
    for (const date of ['2026-05-01', '2026-05-03']) await fixture.take(date);
    const before = await readTree(root);
    for (const [date, ...more] of [['2026-05-02'], ['2026-05-01', '--replace']] as const)
      await assert.rejects(
        fixture.take(date, 'other', ...more),
        /2026-05-0[12] would break the chain of things: the freeze of 2026-05-03 names the one before it$/m,
      );
    assert.deepEqual(await readTree(root), before);
    await fixture.take('2026-05-03', 'other', '--replace');
    for (const date of ['2026-05-01', '2026-05-03']) {
      const text = await readFile(join(root, 'data/sources/things', date, 'datapackage.json'), 'utf8');
      await fixture.site.write(`data/sources/things/${date}/datapackage.json`, text.replace(/ *"previous".*\n/, ''));
    }
    const among = await fixture.take('2026-05-02');
    assert.equal(among.previous, null);
    const {notes} = await fixture.take('2026-04-30');
    assert.match(
      notes.join(),
      /as_of is before the freeze of 2026-05-01\. If that freeze is published, remove the new one: /,
    );
    assert.equal((await fixture.take('2026-05-04')).previous, await digestOf(fixture, '2026-05-03'));
  });
});
