import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readdir, readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {CLASS_SHARE} from '../build/site-fixture.ts';
import {readTree} from '../build/tree.ts';
import {freezeFixture, startFreeze, type FreezeFixture} from './freeze-fixture.ts';

const ONE = 'url,class\nhttps://a.example/,dead\n';
const TWO = 'url,class\nhttps://b.example/,dead\n';
const FOLDER = 'data/sources/things/2026-05-01';

/** A site in a repository, with an uncommitted freeze. */
async function uncommitted(): Promise<FreezeFixture & {git(...args: string[]): string; take(list: string): string[]}> {
  const fixture = await freezeFixture();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
      cwd: fixture.site.root,
      encoding: 'utf8',
    });
  git('init', '--quiet');
  const path = await fixture.list('list.csv', ONE);
  assert.equal((await fixture.freeze('things', path, '--as-of', '2026-05-01')).err, '');
  return {...fixture, git, take: list => ['things', list, '--as-of', '2026-05-01', '--replace']};
}

const rowsIn = async ({site}: FreezeFixture, name = 'list.csv') => readFile(join(site.root, FOLDER, name), 'utf8');

describe('a freeze', {concurrency: 2}, () => {
  test('that is in no commit is replaced completely, also if it is staged or stashed', async () => {
    await using fixture = await uncommitted();
    fixture.git('commit', '--quiet', '--allow-empty', '-m', 'first');
    fixture.git('add', '-A');
    const list = await fixture.list('other.csv', TWO);
    const {err} = await fixture.freeze(...fixture.take(list));
    assert.equal(err, '');
    assert.deepEqual((await readdir(join(fixture.site.root, FOLDER))).sort(), ['datapackage.json', 'other.csv']);
    assert.equal(await rowsIn(fixture, 'other.csv'), TWO);
    assert.deepEqual(await readdir(join(fixture.site.root, 'data/sources/things')), ['2026-05-01']);
    fixture.git('add', '-A');
    fixture.git('stash');
    fixture.git('stash', 'apply');
    assert.equal((await fixture.freeze(...fixture.take(list))).err, '');
  });

  test('is not replaced if the new list is refused, or the option is missing', async () => {
    await using fixture = await uncommitted();
    const before = await readTree(fixture.site.root);
    const bad = await fixture.list('bad.csv', `${TWO}https://b.example/,dead\n`);
    assert.match((await fixture.freeze(...fixture.take(bad))).err, /occurs twice|certainly its key/);
    const [source = '', list = '', ...more] = fixture.take(await fixture.list('list.csv', TWO));
    const {code, err} = await fixture.freeze(source, list, ...more.slice(0, -1));
    assert.deepEqual([code, err], [1, `${FOLDER} already exists\n`]);
    assert.equal((await fixture.freeze(source, list, ...more, '--dry-run')).err, '');
    assert.deepEqual(await readTree(fixture.site.root), before);
  });

  test('that is in any commit is never replaced', async () => {
    await using fixture = await uncommitted();
    fixture.git('checkout', '--quiet', '-b', 'other');
    fixture.git('add', '-A');
    fixture.git('commit', '--quiet', '-m', 'freeze');
    const take = fixture.take(await fixture.list('list.csv', TWO));
    const says = /2026-05-01 is committed \([0-9a-f]+\), and a committed freeze is never replaced/;
    assert.match((await fixture.freeze(...take)).err, says);
    fixture.git('rm', '-r', '--quiet', '--cached', 'data');
    fixture.git('commit', '--quiet', '-m', 'removed');
    assert.match((await fixture.freeze(...take)).err, says);
    assert.equal(await rowsIn(fixture), ONE);
  });

  test('is not replaced if git cannot determine whether it was committed', async () => {
    await using fixture = await uncommitted();
    const take = fixture.take(await fixture.list('list.csv', TWO));
    await fixture.site.write('.gitignore', 'data/sources/\n');
    assert.match((await fixture.freeze(...take)).err, /cannot be replaced: git ignores it/);
    await rm(join(fixture.site.root, '.git'), {recursive: true});
    assert.match((await fixture.freeze(...take)).err, /cannot be replaced: the site is not in a git repository/);
    assert.equal(await rowsIn(fixture), ONE);
  });

  test('exists at any time during its replacement', async () => {
    await using fixture = await uncommitted();
    const take = fixture.take(await fixture.list('list.csv', TWO));
    const child = startFreeze([...take, '--root', fixture.site.root]);
    const ended = new Promise<number | null>(resolve => child.once('close', resolve));
    let code: number | null | undefined;
    void ended.then(found => (code = found));
    const seen = new Set<string>();
    while (code === undefined) seen.add(await rowsIn(fixture));
    assert.equal(code, 0);
    assert.ok([...seen].every(rows => rows === ONE || rows === TWO));
    assert.equal(await rowsIn(fixture), TWO);
  });

  test('with line ends that git changed is reported, and .gitattributes prevents that', async () => {
    await using fixture = await uncommitted();
    await fixture.site.write('data/products/a.json', {...CLASS_SHARE, source: 'things', class: 'dead'});
    const build = () => fixture.site.build();
    const checkout = async () => {
      await rm(join(fixture.site.root, FOLDER), {recursive: true});
      fixture.git('-c', 'core.autocrlf=true', 'checkout', '--', FOLDER);
    };
    fixture.git('add', '-A');
    fixture.git('commit', '--quiet', '-m', 'freeze');
    await checkout();
    assert.match(
      (await build()).err,
      /datapackage\.json has CR LF line ends, .*"data\/sources\/\*\* -text" into \.gitattributes/,
    );
    await fixture.site.write('.gitattributes', 'data/sources/** -text\n');
    await checkout();
    assert.equal((await build()).err, '');
  });
});
