import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Entry} from '../../shared/shapes.ts';
import {verifySite} from '../../buyer/verify/verify-site.ts';
import {CLASS_SHARE, DENY_SCHEMA, emptySite, type SiteFixture} from './site-fixture.ts';
import {readJson, readOutput} from './tree.ts';

const SCHEMA = {...DENY_SCHEMA, fields: [...DENY_SCHEMA.fields, {name: 'region', type: 'string'}]};
const REGIONS = ['North America', 'Europe', 'São Tomé'];
const FILE = 'data/products/soft-fail-3.json';

/** A site that sells Soft Fail 3 over one row per region. Every third is `dead`. */
async function siteOf(regions: readonly string[], product: object): Promise<SiteFixture> {
  const site = await emptySite();
  await site.write(FILE, {...CLASS_SHARE, ...product});
  const rows = regions.map(
    (region, index) =>
      `https://${String(index).padStart(3, '0')}.example/,${index % 4 === 3 ? 'dead' : 'soft_fail'},${region}\n`,
  );
  await site.freeze({
    source: 'deny-list',
    files: {'deny-list.csv': `url,class,region\n${rows.join('')}`},
    schema: SCHEMA,
  });
  return site;
}

const regions = Array.from({length: 24}, (_, index) => REGIONS[index % 3] ?? '');

async function entryIn(site: SiteFixture): Promise<Entry> {
  const {products} = (await readJson(site.root, 'public/api/v1/index.json')) as unknown as {products: Entry[]};
  return products[0] ?? assert.fail();
}

test('parts by a column: every row is in exactly one, and each is a complete paid document in the catalogue', async () => {
  await using site = await siteOf(regions, {parts: 'region', max_rows: 5});
  assert.equal((await site.build()).err, '');
  const {editions = [], paid} = await entryIn(site);
  const names = ['europe', 'north-america', 'sao-tome'];
  assert.deepEqual(
    editions.map(({url, type, part}) => [url, type, part?.name, part?.number, part?.of, part?.holds]),
    names.map((name, index) => [
      `https://test.example/api/v1/softfail3-${name}`,
      'application/json; charset=utf-8',
      name,
      index + 1,
      3,
      `region ${['Europe', 'North America', 'São Tomé'][index] ?? ''}`,
    ]),
  );
  const documents = await Promise.all(names.map(name => readJson(site.root, `public/api/v1/softfail3-${name}`)));
  const rows = documents.flatMap(document => document['rows'] as {url: string; region: string}[]);
  assert.equal(new Set(rows.map(({url}) => url)).size, 18);
  for (const [index, document] of documents.entries()) {
    const own = document['rows'] as {region: string}[];
    assert.equal(editions[index]?.rows, own.length);
    assert.equal(new Set(own.map(({region}) => region)).size, 1);
    assert.equal(document['rows_total'], 18);
    assert.equal(document['soft_fail_n'], 18);
  }
  const first = await readJson(site.root, 'public/api/v1/softfail3');
  assert.equal((first['rows'] as unknown[]).length, 5);
  assert.ok(!('part' in first));
  assert.equal(paid.url, 'https://test.example/api/v1/softfail3');
  assert.deepEqual(await failures(site), []);
});

test('parts by size: each has the same number of rows, and the last one the rest', async () => {
  await using site = await siteOf(regions, {parts: 7});
  assert.equal((await site.build()).err, '');
  const {editions = []} = await entryIn(site);
  assert.deepEqual(
    editions.map(({rows, part}) => [part?.name, rows, part?.holds]),
    [
      ['1', 7, 'rows 1 to 7'],
      ['2', 7, 'rows 8 to 14'],
      ['3', 4, 'rows 15 to 18'],
    ],
  );
});

test('capital letters with marks do not divide the name of a part', async () => {
  await using site = await siteOf(['ÄÖÜ ÜBERSEE'], {parts: 'region'});
  assert.equal((await site.build()).err, '');
  assert.equal((await entryIn(site)).editions?.[0]?.part?.name, 'aeoeue-uebersee');
});

test('a product of SQL is sold in parts', async () => {
  await using site = await siteOf(regions, {
    kind: 'query',
    figures: 'SELECT count(*) AS n FROM rows',
    rows: 'SELECT url, length(region) AS long FROM rows ORDER BY url',
    max_rows: 1,
    parts: 'long',
    ...{class: undefined},
  });
  assert.equal((await site.build()).err, '');
  const {editions = []} = await entryIn(site);
  assert.deepEqual(
    editions.map(({rows, part}) => [part?.name, rows]),
    [
      ['13', 8],
      ['6', 8],
      ['8', 8],
    ],
  );
});

test('each part has a rule with the price of the product on every host', async () => {
  await using site = await siteOf(regions, {parts: 'region'});
  await site.build();
  const tree = await readOutput(site.root);
  const {rules} = (await readJson(site.root, 'paywall/rules/rules.json')) as {rules: {path: string; price: string}[]};
  const paths = ['', '-europe', '-north-america', '-sao-tome'].map(end => `/api/v1/softfail3${end}`);
  assert.deepEqual(
    rules.map(({path, price}) => [path, price]),
    paths.map(path => [path, '$0.02']),
  );
  const leftOut = JSON.parse(tree['paywall/rules/github-pages.json'] ?? '') as {leave_out: string[]};
  assert.deepEqual(leftOut.leave_out, paths);
  for (const path of paths) {
    assert.ok(tree['paywall/rules/aws.template.json']?.includes(`"SearchString": "${path}"`), path);
    for (const page of ['openapi.json', 'llms.txt', 'products/softfail3.html'])
      assert.ok(tree[`public/${page}`]?.includes(path), `${path} in ${page}`);
  }
});

test('a build that no longer sells parts removes them', async () => {
  await using site = await siteOf(regions, {parts: 'region'});
  await site.build();
  await site.write(FILE, CLASS_SHARE);
  await site.build();
  const paths = Object.keys(await readOutput(site.root));
  assert.deepEqual(
    paths.filter(path => path.includes('softfail3-')),
    [],
  );
});

test('verify reports a part that another one replaced, and a part without a rule', async () => {
  await using site = await siteOf(regions, {parts: 'region'});
  await site.build();
  const rules = await readJson(site.root, 'paywall/rules/rules.json');
  const europe = (await readOutput(site.root))['public/api/v1/softfail3-europe'] ?? '';
  await site.write('public/api/v1/softfail3-sao-tome', Buffer.from(europe, 'latin1'));
  await site.write('paywall/rules/rules.json', {...rules, rules: (rules['rules'] as unknown[]).slice(0, 3)});
  const reported = await failures(site);
  assert.match(reported.join('\n'), /softfail3-sao-tome has (\d+ bytes|the SHA-256)/);
  assert.ok(reported.includes('rules.json no rule sells /api/v1/softfail3-sao-tome'), reported.join('\n'));
});

async function failures(site: SiteFixture): Promise<string[]> {
  const checks = await verifySite(site.root);
  return checks.filter(({state}) => state === 'failed').map(({subject, detail}) => `${subject} ${detail}`);
}

const refused: readonly (readonly [says: string, regions: readonly string[], product: object, reported: string])[] = [
  [
    'an unknown column',
    regions,
    {parts: 'colour'},
    '"colour" is not a column of the rows that are sold: url, class, region',
  ],
  [
    'a column with a row without a value',
    ['Europe', ''],
    {parts: 'region'},
    '"region" has no value in row 2 of the sold rows',
  ],
  ['two values of one name', ['A B', 'a-b'], {parts: 'region'}, '"region" gives "A B" and "a-b" the same name, a-b'],
  [
    'a value without a letter',
    ['Europe', '∅'],
    {parts: 'region'},
    '"region" has the value "∅", which results in an empty name',
  ],
  ['no row a part', regions, {parts: 0}, '0 is not the name of a column, or a whole number from 1 to 500000'],
  [
    'too many parts',
    Array.from({length: 1400}, () => 'x'),
    {parts: 1},
    '1 results in 1050 parts, and a product can have at most 1000',
  ],
];

for (const [says, regions, product, reported] of refused) {
  test(`refuses ${says}`, async () => {
    await using site = await siteOf(regions, product);
    const {code, err} = await site.build();
    assert.equal(code, 1);
    assert.match(err, new RegExp(`^${FILE}:\\d+: parts `));
    assert.equal(err.replace(/^[^ ]+ parts /, ''), `${reported}\n`);
    assert.deepEqual(await readOutput(site.root), {});
  });
}
