import assert from 'node:assert/strict';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {Ajv2020} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {verifySite} from '../../buyer/verify/verify-site.ts';
import {errorLine, jsonErrors} from '../json-errors.ts';
import {DENY_CSV, DENY_SCHEMA, emptySite, type SiteFixture} from './site-fixture.ts';
import {readJson, readOutput} from './tree.ts';

const PRODUCT = {
  title: 'Report',
  kind: 'query',
  price: '$0.05',
  source: 'deny-list',
  listed: false,
  figures: 'SELECT count(*) AS rows_n FROM rows',
  document: `SELECT
    {first: min(url), last: max(url), exact: 1.50::DECIMAL(9, 2), day: DATE '2026-05-01'} AS span,
    (SELECT map_from_entries(list({k: class, v: n} ORDER BY class)) FROM (SELECT class, count(*)::INTEGER AS n FROM rows GROUP BY class)) AS classes,
    list({url: url, is_dead: class = 'dead'} ORDER BY url) AS places,
    max(url) AS top, true AS good, 0.5::DOUBLE AS half, count(*) AS n, DATE '2026-05-01' AS day
    FROM rows`,
  difference: 'describes all of a list in one document',
};

async function reportSite(product: object = {}): Promise<SiteFixture> {
  const site = await emptySite();
  await site.freeze({source: 'deny-list', files: {'deny-list.csv': DENY_CSV}, schema: DENY_SCHEMA});
  await site.write('data/products/report.json', {...PRODUCT, ...product});
  return site;
}

test('a document of custom shape is sold: common members, figures, its columns in their order, and a digest', async () => {
  await using site = await reportSite();
  assert.equal((await site.build()).err, '');
  const {name, title, as_of, reason, note, listed, sha256, ...own} = await readJson(site.root, 'public/api/v1/report');
  for (const member of [name, title, as_of, reason, note, sha256]) assert.equal(typeof member, 'string');
  assert.equal(listed, false);
  assert.deepEqual(Object.entries(own), [
    ['rows_n', 4],
    ['span', {first: 'https://a.example/', last: 'https://d.example/', exact: '1.50', day: '2026-05-01'}],
    ['classes', {dead: 1, fraud: 1, soft_fail: 2}],
    ['places', ['a', 'b', 'c', 'd'].map(host => ({url: `https://${host}.example/`, is_dead: host === 'a'}))],
    ['top', 'https://d.example/'],
    ['good', true],
    ['half', 0.5],
    ['n', 4],
    ['day', '2026-05-01'],
  ]);
  const sample = await readJson(site.root, 'public/api/v1/samples/report.json');
  assert.deepEqual(Object.keys(sample).slice(-2), ['listed', 'rows_n'], 'no part of the document is free');
  assert.match(
    (await readOutput(site.root))['public/products/report.html'] ?? '',
    /A document with span, classes, .* and day\./,
  );
});

test('its schema is that of its columns, and the free example is valid and reveals nothing', async () => {
  await using site = await reportSite();
  await site.build();
  const schema = await readJson(site.root, 'public/api/v1/schemas/report.json');
  const ajv = new Ajv2020({strict: false});
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  const rules = (await readJson(site.root, 'paywall/rules/rules.json')) as {
    rules: {example: Record<string, unknown>}[];
  };
  const example = rules.rules[0]?.example ?? {};
  assert.ok(validate(await readJson(site.root, 'public/api/v1/report')));
  assert.ok(validate(example), JSON.stringify(validate.errors));
  assert.ok(!validate({...example, places: [{}]}));
  assert.ok(!validate({...example, further: 1}));
  const {span, classes, places, top, good, half, n, day} = example;
  const empty = {first: '', last: '', exact: '0', day: '0000-01-01'};
  assert.deepEqual([span, classes, places, top, good, half, n, day], [empty, {}, [], '', false, 0, 0, '0000-01-01']);
});

test('verify compares such a document with the frozen rows, and names a member that differs from them', async () => {
  await using site = await reportSite();
  await site.build();
  const failed = async () => {
    const checks = await verifySite(site.root, {data: join(site.root, 'data')});
    return checks.flatMap(({state, what, detail}) => (state === 'failed' ? [`${what}: ${detail}`] : []));
  };
  assert.deepEqual(await failed(), []);
  const paid = await readJson(site.root, 'public/api/v1/report');
  const places = (paid['places'] as object[]).with(2, {url: 'https://c.example/', is_dead: true});
  await site.write('public/api/v1/report', {...paid, places});
  assert.match(
    (await failed()).join('\n'),
    /frozen rows: places\[2\]\.is_dead is true; computed from the frozen rows, it is false/,
  );
});

const TAKEN = ['name', 'title', 'as_of', 'reason', 'note', 'listed', 'sha256', 'sit', 'next', 'rows', 'events'];

/** Invalid documents by the build that reports them: of members, of responses, of composed documents. */
const REFUSED: readonly (readonly (readonly [members: object, says: RegExp])[])[] = [
  [
    [{document: undefined}, /rows is missing$/],
    [{rows: 'SELECT url FROM rows ORDER BY url'}, /rows "SELECT .* is set together with "document"$/],
    [{examples: 1}, /examples is for products that sell rows, and this one sells a document$/],
    [{formats: ['json', 'csv']}, /formats is for products that sell rows, and this one sells a document$/],
    [{document: ''}, /document "" is not one SELECT statement/],
  ],
  [
    ...TAKEN.map(
      name =>
        [{document: `SELECT 1 AS "${name}"`}, new RegExp(`document has a column called "${name}", which`)] as const,
    ),
    [{document: 'SELECT 1 AS a WHERE false'}, /document returns no row: a document must be exactly one row$/],
    [
      {document: 'SELECT url FROM rows ORDER BY url'},
      /document returns more than one row: a document must be exactly one/,
    ],
    [{document: 'SELECT 1 AS rows_n'}, /document has a column called "rows_n", which is also the name of a figure$/],
    [{document: 'SELECT 1 AS a, 2 AS a'}, /document has two columns called "a"$/],
    [
      {document: 'SELECT count(*) FROM rows'},
      /document has a column called "count_star\(\)", but names have only letters, digits and "_"$/,
    ],
    [{document: "SELECT MAP {'__proto__': 1} AS a"}, /document a has a key "__proto__"$/],
    [
      {document: 'SELECT MAP {1: 2} AS a'},
      /document a is of type MAP\(INTEGER, INTEGER\), which documents do not have/,
    ],
    [{document: 'SELECT {x: list(url)} AS a FROM rows'}, /document is not reproducible: .* column a is /],
    [
      {document: 'SELECT random() AS a'},
      /document is not accepted at character 8: random\(\) can return a different result/,
    ],
    [
      {document: 'SELECT nope AS a', figures: 'SELECT nine AS a'},
      /figures is not accepted at .*nine.*\n.*document is not accepted at .*nope/,
    ],
  ],
  [[{document: 'SELECT {listed: true} AS a'}, /claims listed true in document\.a$/]],
];

test('an invalid document is refused in one line, and nothing is written', async () => {
  await using site = await reportSite();
  await site.build();
  const before = await readOutput(site.root);
  for (const cases of REFUSED) {
    for (const [index, [members]] of cases.entries())
      await site.write(`data/products/case-${index}.json`, {...PRODUCT, title: `Case ${index}`, ...members});
    const {code, out} = await site.build('--json');
    assert.equal(code, 1);
    const errors = jsonErrors(out);
    for (const [index, [, says]] of cases.entries()) {
      const of = errors.filter(({file = ''}) => new RegExp(`case-?${index}(\\.|$)`).test(file));
      assert.match(of.map(errorLine).join('\n'), says);
      await rm(join(site.root, `data/products/case-${index}.json`));
    }
  }
  assert.deepEqual(await readOutput(site.root), before);
});
