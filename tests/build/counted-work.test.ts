import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {syncBuiltinESMExports} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {DuckDBConnection} from '@duckdb/node-api';
import {build} from '../../build/build.ts';
import {answer, type QueryProduct} from '../../build/kinds/query/answer.ts';
import {BY_KEY, openSession, REVERSED, type Session} from '../../build/kinds/query/session.ts';
import {readFreezes} from '../../build/read/freezes.ts';
import {CLASS_SHARE, DENY_CSV, DENY_SCHEMA, emptySite, type SiteFixture} from './site-fixture.ts';

// Counts the work of a build for each further product. Unlike times, these numbers are the same on every machine. A
// change that makes a build do more work fails here. If the work is needed, commit the new numbers.

/** Calls of the system, digests, and statements of DuckDB. */
interface Work {
  readonly stats: number;
  readonly opened: number;
  readonly written: number;
  readonly renamed: number;
  readonly digests: number;
  readonly statements: number;
}

/** The functions that are counted, by the name of their count. */
const COUNTED = {
  stats: ['statSync', 'lstatSync'],
  opened: ['openSync', 'readFileSync'],
  written: ['writeFileSync'],
  renamed: ['renameSync'],
} as const satisfies Partial<Record<keyof Work, readonly (keyof typeof fs)[]>>;

/** Counts the work of a function. */
async function workOf(run: () => Promise<unknown>): Promise<Work> {
  const counts = {stats: 0, opened: 0, written: 0, renamed: 0, digests: 0, statements: 0};
  const undo: (() => void)[] = [];
  const count = (object: object, method: string, name: keyof Work) => {
    const original = Reflect.get(object, method) as (...args: unknown[]) => unknown;
    Reflect.set(object, method, function (this: unknown, ...args: unknown[]) {
      counts[name] += 1;
      return original.apply(this, args);
    });
    undo.push(() => Reflect.set(object, method, original));
  };
  for (const [name, methods] of Object.entries(COUNTED))
    for (const method of methods) count(fs, method, name as keyof Work);
  count(crypto, 'hash', 'digests');
  for (const method of ['run', 'runAndReadAll', 'streamAndReadUntil'])
    count(DuckDBConnection.prototype, method, 'statements');
  syncBuiltinESMExports();
  try {
    await run();
    return counts;
  } finally {
    for (const restore of undo) restore();
    syncBuiltinESMExports();
  }
}

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

/**
 * The work of one build that another does not have, for each of so many products. Files about all products, such as
 * pages of the list, round to 0.
 */
function perProduct(more: Work, less: Work, products: number): Work {
  const names = Object.keys(less) as (keyof Work)[];
  return Object.fromEntries(
    names.map(name => [name, Math.round((more[name] - less[name]) / products) || 0]),
  ) as unknown as Work;
}

test('a build does as much work for each further product as is needed', async () => {
  await workOver(1, 1); // Loads the code.
  const [few, many] = [await workOver(40, 2), await workOver(80, 2)];
  const manySources = await workOver(80, 4);
  assert.deepEqual(
    {
      cold: perProduct(many.cold, few.cold, 40),
      unchanged: perProduct(many.unchanged, few.unchanged, 40),
      // The further products are those of two sources that have not changed.
      oneSource: perProduct(manySources.oneSource, few.oneSource, 40),
    },
    {
      // Six files are written and renamed, and two documents contain their digest. All products of a source share one statement.
      cold: {stats: 20, opened: 1, written: 6, renamed: 6, digests: 8, statements: 0},
      // One look at each file.
      unchanged: {stats: 7, opened: 0, written: 0, renamed: 0, digests: 0, statements: 0},
      oneSource: {stats: 7, opened: 0, written: 0, renamed: 0, digests: 0, statements: 0},
    },
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
