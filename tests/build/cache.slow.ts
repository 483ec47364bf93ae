import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {BuildCache} from '../../build/cache.ts';
import {productFiles} from '../../build/read/listing.ts';
import {build} from '../../build/build.ts';
import {summaryOf} from '../../scripts/build/report.ts';
import {faultLines} from '../../shared/error-text.ts';
import {InputError} from '../../shared/fault.ts';
import {mulberry32, type Random} from './random-lists/random.ts';
import {
  CLASS_SHARE,
  DENY_CSV,
  DENY_SCHEMA,
  denySite,
  emptySite,
  SAME_TIMESTAMPS,
  SITE,
  VERIFIED_SCHEMA,
  type SiteFixture,
} from './site-fixture.ts';
import {readOutput} from './tree.ts';
import {plainErrors} from '../plain-errors.ts';

const CSV = 'data/sources/deny-list/2026-05-01/deny-list.csv';
const SAMPLE = 'public/api/v1/samples/softfail3.json';
const VERIFIED = 'origin,first,last,claimed\nhttps://a.example,2026-01-01 10:00 ET,2026-01-01 10:00 ET,true\n';
const VERIFIED_LIST = {source: 'verified-list', files: {'list.csv': VERIFIED}, schema: VERIFIED_SCHEMA};
/** A product over both lists. */
const BOTH = {
  title: 'Both',
  kind: 'query',
  price: '$0.05',
  sources: {rows: 'deny-list', verified: 'verified-list'},
  figures: 'SELECT count(*) AS rows_n, (SELECT count(*) FROM verified) AS verified_n, -0.0::DOUBLE AS none FROM rows',
  rows: 'SELECT url FROM rows ORDER BY url',
  difference: 'counts two lists',
};

/** Builds as the command does, and returns everything except the time. */
async function run(root: string, home?: string) {
  try {
    await sleep(50); // A file with a recent time is not cached.
    const built = await build({root, home});
    return {code: 0, out: summaryOf(built, {root, check: false, seconds: 0}).replace(/ below \S+/, ''), err: ''};
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return {code: 1, out: '', err: plainErrors(faultLines(error))};
  }
}

async function newCache(): Promise<{folder: string} & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'cache-'));
  return {folder, [Symbol.asyncDispose]: () => rm(folder, {recursive: true})};
}

/** Returns true if the next build has nothing to compose. */
const isCached = (cache: string, root: string) =>
  new BuildCache(cache, root).unchangedBuild(() => productFiles(root)) !== undefined;

/** Returns the source groups that the next build does not have to compose. */
const known = (cache: string, root: string) => [...new BuildCache(cache, root).groups().keys()].sort();

/** A site of two lists, with products over one, the other, and both. */
async function twoLists(): Promise<SiteFixture> {
  const site = await denySite();
  await site.freeze(VERIFIED_LIST);
  await site.write('data/products/first-last-same.json', SAME_TIMESTAMPS);
  await site.write('data/products/both.json', BOTH);
  return site;
}

/**
 * The same with many products over another list. Their number decides whether a build describes them together or
 * separately.
 */
async function threeLists(): Promise<SiteFixture> {
  const site = await twoLists();
  await site.freeze({source: 'own-list', files: {'deny-list.csv': DENY_CSV}, schema: DENY_SCHEMA});
  for (const title of ['Constructor', 'To String', 'Third']) {
    const product = {...CLASS_SHARE, title, source: 'own-list', siblings: []};
    await site.write(`data/products/${title}.json`, product);
  }
  return site;
}

/** Changes of a site between two builds. */
const EVENTS: readonly ((site: SiteFixture, random: Random) => Promise<unknown>)[] = [
  () => Promise.resolve(),
  (site, random) => site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: `$0.0${1 + random.below(3)}`}),
  (site, random) => {
    const title = `Share ${random.below(4)}`;
    return site.write(`data/products/${random.below(3)}.json`, {...CLASS_SHARE, title, siblings: []});
  },
  (site, random) => rm(join(site.root, `data/products/${random.below(3)}.json`), {force: true}),
  (site, random) => {
    const rows = DENY_CSV + (random.chance(0.5) ? 'https://e.example/,dead\n' : '');
    const date = `2026-0${5 + random.below(3)}-01`;
    return site.freeze({source: 'deny-list', date, files: {'deny-list.csv': rows}, schema: DENY_SCHEMA});
  },
  (site, random) => site.write(CSV, random.chance(0.5) ? DENY_CSV : DENY_CSV.replace('dead', 'daed')),
  (site, random) =>
    rm(join(site.root, 'data/sources/deny-list', `2026-0${6 + random.below(2)}-01`), {recursive: true, force: true}),
  (site, random) =>
    site.write('data/products/broken.json', random.chance(0.5) ? '{' : {...CLASS_SHARE, title: 'Mended'}),
  site => rm(join(site.root, 'data/products/broken.json'), {force: true}),
  (site, random) => {
    const claimed = random.chance(0.5) ? VERIFIED : VERIFIED.replace('true', 'false');
    const date = `2026-0${5 + random.below(3)}-01`;
    return site.freeze({source: 'verified-list', date, files: {'list.csv': claimed}, schema: VERIFIED_SCHEMA});
  },
  (site, random) => site.write('data/site.json', {...SITE, title: `Site ${random.below(2)}`}),
  site => site.write(SAMPLE, '{}'),
  site => rm(join(site.root, 'public/api/v1/both'), {force: true}),
  site => site.write('public/mine.txt', 'mine'),
  site => rm(join(site.root, 'public/index.html'), {force: true}),
  site => rm(join(site.root, 'public'), {recursive: true, force: true}),
];

test('a build with a cache has the same output and report as one without', async () => {
  for (const seed of [4]) {
    const random = mulberry32(seed);
    await using site = await threeLists();
    await using cache = await newCache();
    const [seen, groups] = [new Set<boolean>(), new Set<number>()];
    for (let step = 0; step < 12; step++) {
      await EVENTS[random.below(EVENTS.length)]?.(site, random);
      const plain = join(await mkdtemp(join(tmpdir(), 'plain-')), 'site');
      await cp(site.root, plain, {recursive: true});
      seen.add(isCached(cache.folder, site.root));
      groups.add(known(cache.folder, site.root).length);
      const [fast, slow] = [await run(site.root, cache.folder), await run(plain)];
      assert.deepEqual({...fast, err: fast.err.replaceAll(site.root, plain)}, slow, `seed ${seed}, step ${step}`);
      assert.deepEqual(await outputs(site.root), await outputs(plain), `seed ${seed}, step ${step}`);
      await rm(dirname(plain), {recursive: true});
    }
    assert.equal(seen.size, 2, `seed ${seed} caches always or never`);
    assert.ok(groups.size > 2, `seed ${seed} knows ${[...groups].join(', ')} groups`);
  }
});

test('a folder without data/ has the same faults for a build with a cache', async () => {
  await using site = await denySite();
  await using cache = await newCache();
  await run(site.root, cache.folder);
  await rm(join(site.root, 'data'), {recursive: true});
  const {err} = await run(site.root, cache.folder);
  assert.match(err, /^data\/site\.json does not exist$/m);
  assert.equal(err, (await run(site.root)).err);
});

/** Reads the files below a root that may not have been built. */
async function outputs(root: string) {
  return existsSync(join(root, 'public')) ? readOutput(root) : {};
}

/** Writes the same bytes again. */
const again = async (site: SiteFixture, path: string) => site.write(path, await readFile(join(site.root, path)));

test('a build is cached until a file of it changes', async t => {
  const changes: Readonly<Record<string, (site: SiteFixture) => Promise<unknown>>> = {
    'an output': site => site.write(SAMPLE, '{}'),
    'an output that is gone': site => rm(join(site.root, 'paywall/rules/rules.json')),
    'an output of the same size and time': async site => {
      const path = join(site.root, SAMPLE);
      const {atime, mtime} = await stat(path);
      await site.write(SAMPLE, (await readFile(path, 'utf8')).replace('Sample', 'sample'));
      await utimes(path, atime, mtime);
    },
    'a product': site => site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.03'}),
    'a product more': site => site.write('data/products/other.json', {...CLASS_SHARE, title: 'Other'}),
    'a product of an odd name': site => site.write('data/products/a\nb.json', {...CLASS_SHARE, title: 'Other'}),
    'the name of a product': site =>
      rename(join(site.root, 'data/products/soft-fail-3.json'), join(site.root, 'data/products/same.json')),
    'a product less': site => rm(join(site.root, 'data/products/soft-fail-3.json')),
    'the site': site => site.write('data/site.json', {...SITE, title: 'Other'}),
    'a row': site => site.write(CSV, DENY_CSV.replace('dead', 'daed')),
    'a descriptor': site => again(site, 'data/sources/deny-list/2026-05-01/datapackage.json'),
    'a folder among the freezes': site => mkdir(join(site.root, 'data/sources/deny-list/tomorrow')),
    'a link among the freezes': site => symlink('/etc', join(site.root, 'data/sources/deny-list/2026-06-01')),
    'a source that is a link': async site => {
      await rename(join(site.root, 'data/sources/deny-list'), join(site.root, 'elsewhere'));
      await symlink('../../elsewhere', join(site.root, 'data/sources/deny-list'));
    },
    'a build that was cut short': site => site.write('.build/staged/owned.json', []),
  };
  for (const [name, change] of Object.entries(changes)) {
    await t.test(name, async () => {
      await using site = await denySite();
      await using cache = await newCache();
      assert.equal((await run(site.root, cache.folder)).code, 0);
      assert.ok(isCached(cache.folder, site.root));
      await change(site);
      assert.equal(
        existsSync(join(site.root, 'data/products/soft-fail-3.json')) && isCached(cache.folder, site.root),
        false,
      );
    });
  }
});

test('a folder of the output that became a link is refused, although its files are unchanged', async () => {
  await using site = await denySite();
  await using cache = await newCache();
  await run(site.root, cache.folder);
  await rename(join(site.root, 'public/api'), join(site.root, 'elsewhere'));
  await symlink('../elsewhere', join(site.root, 'public/api'));
  assert.match((await run(site.root, cache.folder)).err, /^public\/api is a link to/);
});

test('a folder inside a freeze that became a link is refused, although its list is unchanged', async () => {
  await using site = await emptySite();
  await using cache = await newCache();
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  await site.freeze({source: 'deny-list', files: {'parts/deny-list.csv': DENY_CSV}, schema: DENY_SCHEMA});
  assert.equal((await run(site.root, cache.folder)).code, 0);
  assert.ok(isCached(cache.folder, site.root));
  const parts = join(site.root, 'data/sources/deny-list/2026-05-01/parts');
  await rename(parts, join(site.root, 'elsewhere'));
  await symlink('../../../../elsewhere', parts);
  assert.equal(isCached(cache.folder, site.root), false);
  assert.match((await run(site.root, cache.folder)).err, /leads out of the freeze/);
});

test('freezes that the history omits must also be unchanged', async () => {
  await using site = await denySite();
  await using cache = await newCache();
  const files = {'deny-list.csv': 'url,class\nhttps://a.example/,dead\n'};
  const schema = {
    fields: [
      {name: 'url', type: 'string'},
      {name: 'class', type: 'string', constraints: {required: true, enum: ['dead', 'alive']}},
    ],
    primaryKey: ['url'],
  };
  await site.freeze({source: 'deny-list', date: '2026-04-01', files, schema});
  assert.equal((await run(site.root, cache.folder)).code, 0);
  assert.ok(isCached(cache.folder, site.root));
  await site.write('data/sources/deny-list/2026-04-01/deny-list.csv', files['deny-list.csv'].replace('/a', '/b'));
  assert.equal(isCached(cache.folder, site.root), false);
});

test('a source group is cached until one of its inputs or documents changes', async t => {
  const both = 'deny-list+verified-list';
  const changes: Readonly<Record<string, {change: (site: SiteFixture) => Promise<unknown>; leaves: string[]}>> = {
    'a page': {change: site => site.write('public/index.html', ''), leaves: ['deny-list', both, 'verified-list']},
    'a price': {
      change: site => site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.03'}),
      leaves: [both, 'verified-list'],
    },
    'the name of a file': {
      change: site => rename(join(site.root, 'data/products/both.json'), join(site.root, 'data/products/same.json')),
      leaves: ['deny-list', 'verified-list'],
    },
    'a freeze more': {
      change: site =>
        site.freeze({
          source: 'verified-list',
          date: '2026-06-01',
          files: {'list.csv': VERIFIED},
          schema: VERIFIED_SCHEMA,
        }),
      leaves: ['deny-list'],
    },
    'the site': {change: site => site.write('data/site.json', {...SITE, title: 'Other'}), leaves: []},
    'a sample': {change: site => site.write(SAMPLE, '{}'), leaves: [both, 'verified-list']},
    'a schema': {
      change: site => rm(join(site.root, 'public/api/v1/schemas/both.json')),
      leaves: ['deny-list', 'verified-list'],
    },
  };
  for (const [name, {change, leaves}] of Object.entries(changes)) {
    await t.test(name, async () => {
      await using site = await twoLists();
      await using cache = await newCache();
      assert.equal((await run(site.root, cache.folder)).err, '');
      assert.deepEqual(known(cache.folder, site.root), ['deny-list', both, 'verified-list']);
      await change(site);
      assert.deepEqual(known(cache.folder, site.root), leaves);
    });
  }
});

test('a product that joins a source group is built with the cached ones, and one over several sources has all rows checked', async () => {
  await using site = await twoLists();
  await using cache = await newCache();
  await rm(join(site.root, 'data/products/both.json'));
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, freeze: '2026-05-01'});
  const later = {source: 'deny-list', date: '2026-06-01', schema: DENY_SCHEMA};
  await site.freeze({...later, files: {'deny-list.csv': 'url,class\nhttps://a.example/,daed\n'}});
  // No product reads the later freeze yet.
  assert.equal((await run(site.root, cache.folder)).err, '');
  await site.write('data/products/both.json', BOTH);
  assert.match(
    (await run(site.root, cache.folder)).err,
    /^data\/sources\/deny-list\/2026-06-01\/deny-list\.csv:2: class "daed"/,
  );
  await rm(join(site.root, 'data/sources/deny-list/2026-06-01'), {recursive: true});
  await site.write('data/products/dead.json', {...CLASS_SHARE, title: 'Dead', class: 'dead'});
  assert.equal((await run(site.root, cache.folder)).err, '');
  const built = await readOutput(site.root);
  assert.match((await run(site.root)).out, /up to date/);
  assert.deepEqual(await readOutput(site.root), built);
});

test('a product is cached if one that also reads another source is composed without it', async () => {
  await using site = await twoLists();
  await using cache = await newCache();
  assert.equal((await run(site.root, cache.folder)).code, 0);
  await site.freeze({...VERIFIED_LIST, date: '2026-06-01'});
  assert.equal((await run(site.root, cache.folder)).code, 0);
  await rm(join(site.root, 'data/products/soft-fail-3.json'));
  assert.match((await run(site.root, cache.folder)).out, /^- public\/api\/v1\/softfail3$/m);
  assert.equal(existsSync(join(site.root, SAMPLE)), false);
});

test('a source group is composed again if a file was too new to detect later changes by its times', async () => {
  await using site = await denySite();
  await using cache = await newCache();
  // Like a disk with a stopped clock.
  const ahead = new Date(Date.now() + 3_600_000);
  await utimes(join(site.root, CSV), ahead, ahead);
  assert.equal((await run(site.root, cache.folder)).code, 0);
  assert.equal(isCached(cache.folder, site.root), false);
  await site.write(CSV, DENY_CSV.replace('dead', 'daed'));
  await utimes(join(site.root, CSV), ahead, ahead);
  assert.match((await run(site.root, cache.folder)).err, /class "daed"/);
});

test('a damaged or unwritable cache is ignored, and a check uses none', async () => {
  await using site = await denySite();
  await using cache = await newCache();
  await build({root: site.root, check: true, home: cache.folder});
  assert.deepEqual(await readdir(cache.folder), []);
  await run(site.root, cache.folder);
  const [folder = ''] = await readdir(cache.folder);
  const files = await readdir(join(cache.folder, folder));
  assert.equal(files.length, 3, 'one of the group, one of its records, one of the site');
  const records = join(cache.folder, folder, files.find(file => file.endsWith('.records')) ?? '');
  const kept = await readFile(records);
  await writeFile(records, kept.subarray(1));
  assert.deepEqual(known(cache.folder, site.root), []);
  await writeFile(records, kept);
  assert.deepEqual(known(cache.folder, site.root), ['deny-list']);
  for (const file of files) {
    const path = join(cache.folder, folder, file);
    const bytes = await readFile(path, 'latin1');
    // Other figures of the same length.
    await writeFile(path, bytes.replaceAll('soft_fail', 'soft_fial'), 'latin1');
  }
  assert.deepEqual(known(cache.folder, site.root), []);
  assert.equal((await run(site.root, cache.folder)).code, 0);
  assert.ok(isCached(cache.folder, site.root));
  for (const file of files) await truncate(join(cache.folder, folder, file), 20);
  assert.deepEqual(known(cache.folder, site.root), []);
  assert.equal((await run(site.root, cache.folder)).code, 0);
  assert.match((await run(site.root)).out, /up to date/);
  await writeFile(join(cache.folder, 'a file'), '');
  assert.equal((await run(site.root, join(cache.folder, 'a file'))).code, 0);
});
