import assert from 'node:assert/strict';
import {hash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, truncate, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, extname, join} from 'node:path';
import {test} from 'node:test';
import {digestsOfInputs} from '../../build/cache/inputs.ts';
import {Kept} from '../../build/cache/kept.ts';
import {lastOf, recall, type Memory} from '../../build/cache/memory.ts';
import {main} from '../../scripts/build.ts';
import {mulberry32, type Random} from './random-lists/random.ts';
import {
  CLASS_SHARE,
  DENY_CSV,
  DENY_SCHEMA,
  denySite,
  SAME_TIMESTAMPS,
  SITE,
  VERIFIED_SCHEMA,
  type SiteFixture,
} from './site-fixture.ts';
import {readOutput} from './tree.ts';

const CSV = 'data/sources/deny-list/2026-05-01/deny-list.csv';
const SAMPLE = 'public/api/v1/samples/softfail3.json';
const VERIFIED = 'origin,first,last,claimed\nhttps://a.example,2026-01-01 10:00 ET,2026-01-01 10:00 ET,true\n';
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

/** Builds as the command does, and tells everything but the time it took. */
async function run(root: string, memory?: Memory) {
  const texts = {out: '', err: ''};
  const code = await main(['--root', root], {
    out: {write: (text: string) => (texts.out += text)},
    err: {write: (text: string) => (texts.err += text)},
    memory,
  });
  return {code, out: texts.out.replace(/ below \S+/, '').replace(/\d+\.\d\d s/, 'some s'), err: texts.err};
}

async function newMemory(): Promise<{folder: Memory} & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-'));
  return {folder, [Symbol.asyncDispose]: () => rm(folder, {recursive: true})};
}

const recalled = (memory: Memory, root: string) =>
  recall(lastOf(memory, root), root, digestsOfInputs(root), () => () => undefined);

/** A site of two lists, with products over one, the other, and both. */
async function twoLists(): Promise<SiteFixture> {
  const site = await denySite();
  await site.freeze({source: 'verified-list', files: {'list.csv': VERIFIED}, schema: VERIFIED_SCHEMA});
  await site.write('data/products/first-last-same.json', SAME_TIMESTAMPS);
  await site.write('data/products/both.json', BOTH);
  return site;
}

/** The same with products over a list of their own: so many that some builds describe them together, and some each by itself. */
async function threeLists(): Promise<SiteFixture> {
  const site = await twoLists();
  await site.freeze({source: 'own-list', files: {'deny-list.csv': DENY_CSV}, schema: DENY_SCHEMA});
  for (const title of ['Constructor', 'To String', 'Third']) {
    const product = {...CLASS_SHARE, title, source: 'own-list', siblings: []};
    await site.write(`data/products/${title}.json`, product);
  }
  return site;
}

/** What can happen to a site between two builds. */
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

test('a build that may remember writes and tells what one that may not does', async t => {
  const find = t.mock.method(Kept.prototype, 'find');
  for (const seed of [1, 4]) {
    const random = mulberry32(seed);
    await using site = await threeLists();
    await using memory = await newMemory();
    let hits = 0;
    find.mock.resetCalls();
    for (let step = 0; step < 12; step++) {
      await EVENTS[random.below(EVENTS.length)]?.(site, random);
      const plain = join(await mkdtemp(join(tmpdir(), 'plain-')), 'site');
      await cp(site.root, plain, {recursive: true});
      if (await recalled(memory.folder, site.root)) hits++;
      const [fast, slow] = [await run(site.root, memory.folder), await run(plain)];
      assert.deepEqual({...fast, err: fast.err.replaceAll(site.root, plain)}, slow, `seed ${seed}, step ${step}`);
      assert.deepEqual(await outputs(site.root), await outputs(plain), `seed ${seed}, step ${step}`);
      await rm(dirname(plain), {recursive: true});
    }
    assert.ok(hits > 0, `seed ${seed} never remembers`);
    const asked = await Promise.all(find.mock.calls.map(async ({result}) => result));
    const found = asked.filter(documents => documents !== undefined).length;
    assert.ok(found > 0 && found < asked.length, `seed ${seed} knows ${found} products`);
  }
});

/** What stands below a root that may have never been built. */
async function outputs(root: string) {
  return existsSync(join(root, 'public')) ? readOutput(root) : {};
}

test('a build is remembered until a byte of it changes', async t => {
  const changes: Readonly<Record<string, (site: SiteFixture) => Promise<unknown>>> = {
    'an output': site => site.write(SAMPLE, '{}'),
    'an output that is gone': site => rm(join(site.root, 'paywall/rules/rules.json')),
    'a product': site => site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.03'}),
    'a product more': site => site.write('data/products/other.json', {...CLASS_SHARE, title: 'Other'}),
    'the site': async site =>
      site.write('data/site.json', `${await readFile(join(site.root, 'data/site.json'), 'utf8')}\n`),
    'a row': site => site.write(CSV, DENY_CSV.replace('dead', 'daed')),
    'a folder where freezes are': site => mkdir(join(site.root, 'data/sources/deny-list/tomorrow')),
    'a link in the data': site => symlink('/etc', join(site.root, 'data/sources/deny-list/2026-06-01')),
    'a folder of the output that is a link': async site => {
      await cp(join(site.root, 'public'), join(site.root, 'elsewhere'), {recursive: true});
      await rm(join(site.root, 'public'), {recursive: true});
      await symlink('elsewhere', join(site.root, 'public'));
    },
    'a build that was cut short': site => site.write('.build/staged/owned.json', []),
    'a file where builds work': async site => {
      await rm(join(site.root, '.build'), {recursive: true, force: true});
      await site.write('.build', '');
    },
    'a link where builds work': async site => {
      await mkdir(join(site.root, '.build'), {recursive: true});
      await symlink('nowhere', join(site.root, '.build/staged'));
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    await t.test(name, async () => {
      await using site = await denySite();
      await using memory = await newMemory();
      assert.equal((await run(site.root, memory.folder)).code, 0);
      assert.ok(await recalled(memory.folder, site.root));
      await change(site);
      assert.equal(await recalled(memory.folder, site.root), undefined);
    });
  }
});

test('files of odd names are told apart', async () => {
  await using site = await denySite();
  const odd = 'data/products/a\nb.json';
  await site.write(odd, CLASS_SHARE);
  const first = digestsOfInputs(site.root);
  await site.write(odd, {...CLASS_SHARE, price: '$0.03'});
  const second = digestsOfInputs(site.root);
  assert.notDeepEqual(second, first);
  const path = join(site.root, odd);
  await rename(path, `${path} ${hash('sha256', await readFile(path))}`);
  assert.notDeepEqual(digestsOfInputs(site.root), second);
});

test('products that are known are shown as those that are computed', async () => {
  await using site = await twoLists();
  await using memory = await newMemory();
  await run(site.root, memory.folder);
  const computed = await readOutput(site.root);
  await rm(join(site.root, 'public/index.html'));
  await run(site.root, memory.folder);
  assert.deepEqual(await readOutput(site.root), computed);
});

test('what the history leaves out must be as it was, too', async () => {
  await using site = await denySite();
  await using memory = await newMemory();
  const files = {'deny-list.csv': 'url,class\nhttps://a.example/,dead\n'};
  const schema = {
    fields: [
      {name: 'url', type: 'string'},
      {name: 'class', type: 'string', constraints: {required: true, enum: ['dead', 'alive']}},
    ],
    primaryKey: ['url'],
  };
  await site.freeze({source: 'deny-list', date: '2026-04-01', files, schema});
  assert.equal((await run(site.root, memory.folder)).code, 0);
  assert.ok(await recalled(memory.folder, site.root));
  await site.write('data/sources/deny-list/2026-04-01/deny-list.csv', files['deny-list.csv'].replace('/a', '/b'));
  assert.equal(await recalled(memory.folder, site.root), undefined);
});

test('a product is known until anything that it is made of changes, or one of its documents', async t => {
  const find = t.mock.method(Kept.prototype, 'find');
  const known = async (site: SiteFixture, memory: Memory) => {
    find.mock.resetCalls();
    assert.equal((await run(site.root, memory)).code, 0);
    const found = await Promise.all(find.mock.calls.map(async ({result}) => result));
    return found.flatMap(documents => documents?.computed.product.name ?? []);
  };
  const changes: Readonly<Record<string, {change: (site: SiteFixture) => Promise<unknown>; leaves: string[]}>> = {
    'a page': {
      change: site => site.write('public/index.html', ''),
      leaves: ['both', 'firstlastsame', 'softfail3'],
    },
    'a price': {
      change: site => site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.03'}),
      leaves: ['both', 'firstlastsame'],
    },
    'the name of a file': {
      change: site => rename(join(site.root, 'data/products/both.json'), join(site.root, 'data/products/same.json')),
      leaves: ['firstlastsame', 'softfail3'],
    },
    'a freeze more': {
      change: site =>
        site.freeze({
          source: 'verified-list',
          date: '2026-06-01',
          files: {'list.csv': VERIFIED},
          schema: VERIFIED_SCHEMA,
        }),
      leaves: ['softfail3'],
    },
    'the site': {change: site => site.write('data/site.json', {...SITE, title: 'Other'}), leaves: []},
    'a sample': {change: site => site.write(SAMPLE, '{}'), leaves: ['both', 'firstlastsame']},
    'a schema': {
      change: site => rm(join(site.root, 'public/api/v1/schemas/both.json')),
      leaves: ['firstlastsame', 'softfail3'],
    },
  };
  for (const [name, {change, leaves}] of Object.entries(changes)) {
    await t.test(name, async () => {
      await using site = await twoLists();
      await using memory = await newMemory();
      assert.deepEqual(await known(site, memory.folder), []);
      await change(site);
      assert.deepEqual(await known(site, memory.folder), leaves);
    });
  }
});

test('memory that is broken or cannot be kept is no memory, and a check has none', async () => {
  await using site = await denySite();
  await using memory = await newMemory();
  await main(['--root', site.root, '--check'], {out: {write: () => 0}, err: {write: () => 0}, memory: memory.folder});
  assert.deepEqual(await readdir(memory.folder), []);
  await run(site.root, memory.folder);
  const files = await readdir(memory.folder);
  assert.deepEqual(files.map(file => extname(file)).toSorted(), ['.build', '.products']);
  for (const file of files) await truncate(join(memory.folder, file), 200);
  assert.equal(await recalled(memory.folder, site.root), undefined);
  assert.equal((await run(site.root, memory.folder)).code, 0);
  for (const file of files) {
    const path = join(memory.folder, file);
    // The same length, and other figures.
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll('soft_fail_n":2', 'soft_fail_n":3'));
  }
  await rm(join(site.root, 'public/index.html'));
  assert.equal((await run(site.root, memory.folder)).code, 0);
  assert.match((await run(site.root)).out, /up to date/);
  await writeFile(join(memory.folder, 'a file'), '');
  const nowhere = join(memory.folder, 'a file');
  assert.equal((await run(site.root, nowhere)).code, 0);
});
