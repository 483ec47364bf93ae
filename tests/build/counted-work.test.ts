import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {build} from '../../build/build.ts';
import {answer, type QueryProduct} from '../../build/kinds/query/answer.ts';
import {BY_KEY, openSession, REVERSED, type Session} from '../../build/kinds/query/session.ts';
import {readFreezes} from '../../build/read/freezes.ts';
import {CLASS_SHARE, DENY_CSV, DENY_SCHEMA, emptySite, type SiteFixture} from './site-fixture.ts';
import {writeQuerySite} from '../bench/queries/query-site.ts';
import {assertWork, further, workOf, type Work} from './work.ts';

// Counts the work of a build for each further product. Unlike times, these numbers are the same on every machine. A
// change that makes a build do more work fails here. If the work is needed, commit the new numbers.

/**
 * The work of three builds of a site: the first, one without changes, and one after the list of the first source has
 * changed.
 */
async function workOver(products: number, sources: number): Promise<Record<'cold' | 'unchanged' | 'oneSource', Work>> {
  await using site = await emptySite();
  const home = await mkdtemp(join(tmpdir(), 'memory-'));
  try {
    for (let source = 0; source < sources; source++) await freezeSource(site, source, DENY_CSV);
    for (let product = 0; product < products; product++) {
      const own = {title: `Share ${1000 + product}`, source: `list-${product % sources}`, siblings: []};
      await site.write(`data/products/${1000 + product}.json`, {...CLASS_SHARE, ...own});
    }
    const counted = async () => {
      await sleep(50); // Files with recent times are always read.
      return workOf(() => build({root: site.root, home}));
    };
    const [cold, unchanged] = [await counted(), await counted()];
    await freezeSource(site, 0, `${DENY_CSV}https://new.example/,dead\n`);
    return {cold, unchanged, oneSource: await counted()};
  } finally {
    await rm(home, {recursive: true});
  }
}

function freezeSource(site: SiteFixture, source: number, list: string): Promise<void> {
  return site.freeze({source: `list-${source}`, files: {'deny-list.csv': list}, schema: DENY_SCHEMA});
}

test('a build does as much work for each further product and source as is needed', async () => {
  await workOver(1, 1); // Loads the code.
  const [few, many] = [await workOver(40, 2), await workOver(80, 2)];
  const manySources = await workOver(80, 4);
  // Files about all products, such as pages of the list, round to 0.
  assertWork(
    {
      cold: further(many.cold, few.cold, 40),
      unchanged: further(many.unchanged, few.unchanged, 40),
      // The further products are those of two sources that have not changed.
      oneSource: further(manySources.oneSource, few.oneSource, 40),
      source: further(manySources.cold, many.cold, 2),
    },
    {
      // Six files are written and renamed, and two documents contain their digest. All products of a source share one statement.
      cold: {stats: 20, opened: 1, written: 6, renamed: 6, digests: 8, statements: 0, processes: 0, calls: 4400},
      // One look at each file.
      unchanged: {stats: 7, opened: 0, written: 0, renamed: 0, digests: 0, statements: 0, processes: 0, calls: 120},
      // The catalogue and the other files about all products are written again.
      oneSource: {stats: 7, opened: 0, written: 0, renamed: 0, digests: 0, statements: 0, processes: 0, calls: 2150},
      source: {stats: 14, opened: 7, written: 2, renamed: 2, digests: 6, statements: 2, processes: 0, calls: 5800},
    },
  );
});

test('a build does as much work for each further query as is needed, in one process', async () => {
  const workFor = async (products: number) => {
    await using site = await emptySite();
    await writeQuerySite(site.root, {products, rows: 2000});
    const home = await mkdtemp(join(tmpdir(), 'memory-'));
    try {
      return await workOf(() => build({root: site.root, home}));
    } finally {
      await rm(home, {recursive: true});
    }
  };
  await workFor(4); // Loads the code.
  const [few, many] = [await workFor(4), await workFor(12)];
  assert.deepEqual([few.processes, many.processes], [1, 1]);
  assertWork(
    {query: further(many, few, 8)},
    {query: {stats: 20, opened: 1, written: 6, renamed: 6, digests: 8, statements: 0, processes: 0, calls: 5300}},
  );
});

const PARSING = /^SELECT json_serialize_sql\(/;

/** The calls of two sessions for a product with these rows. */
async function callsFor(site: SiteFixture, rows: string): Promise<Record<'byKey' | 'reversed', readonly string[]>> {
  const freezes = new Map((await readFreezes(site.root, 'list-0')).map(freeze => ['rows', freeze]));
  const product = {
    ...{file: 'query.json', name: 'query', title: 'Query', kind: 'query', difference: 'is counted'},
    ...{figures: 'SELECT count(*) AS listed_n FROM rows', rows, examples: 1, max_rows: 100, formats: ['json']},
  } as unknown as QueryProduct;
  const calls = {byKey: [] as string[], reversed: [] as string[]};
  const opened = (await Promise.all([BY_KEY, REVERSED].map(options => openSession(freezes, site.root, options)))) as [
    Session,
    Session,
  ];
  const counted = (session: Session, names: string[]): Session => ({
    ...session,
    ask: (sql, limit) => (names.push(PARSING.test(sql) ? 'parse' : 'ask'), session.ask(sql, limit)),
    widthOf: sql => (names.push('width'), session.widthOf(sql)),
  });
  const reversed = () => Promise.resolve(counted(opened[1], calls.reversed));
  await answer(product, {freezes, byKey: counted(opened[0], calls.byKey), reversed}, (_, run) => run());
  for (const session of opened) await session.close();
  return calls;
}

test('a query runs once, and again in another order only if its result can depend on the order of rows', async () => {
  await using site = await emptySite();
  await freezeSource(site, 0, DENY_CSV);
  const byKey = ['parse', 'ask', 'parse', 'width', 'ask'];
  assert.deepEqual(await callsFor(site, 'FROM rows ORDER BY url LIMIT 2'), {byKey, reversed: []});
  const ranked = 'SELECT url, row_number() OVER (ORDER BY url) AS place FROM rows ORDER BY url';
  assert.deepEqual(await callsFor(site, ranked), {byKey, reversed: ['width', 'ask']});
});
