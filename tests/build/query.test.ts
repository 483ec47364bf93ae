import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {errorLine, jsonErrors} from '../json-errors.ts';
import {DENY_SCHEMA, VERIFIED_SCHEMA, emptySite, type SiteFixture} from './site-fixture.ts';
import {readJson, readOutput} from './tree.ts';

const PRODUCT = {
  title: 'Dead Share',
  kind: 'query',
  price: '$0.05',
  source: 'deny-list',
  examples: 1,
  figures:
    "SELECT count(*) AS rows_n, count(*) FILTER (class = 'dead') AS dead_n, dead_n / rows_n AS dead_ratio FROM rows",
  rows: "SELECT url, class FROM rows WHERE class = 'dead' ORDER BY url",
  difference: 'lists the dead addresses',
};

/** Two freezes of a deny list and one of a verified list. */
async function querySite(product: object = {}): Promise<SiteFixture> {
  const site = await emptySite();
  const list = (...rows: string[]) => `url,class\n${rows.join('\n')}\n`;
  const files = (csv: string) => ({'deny-list.csv': csv});
  await site.freeze({
    source: 'deny-list',
    date: '2026-04-01',
    schema: DENY_SCHEMA,
    files: files(list('https://a.example/,fraud', 'https://b.example/,dead')),
  });
  await site.freeze({
    source: 'deny-list',
    schema: DENY_SCHEMA,
    files: files(
      list('https://c.example/,dead', 'https://a.example/,dead', 'https://b.example/,dead', 'https://d.example/,fraud'),
    ),
  });
  await site.freeze({
    source: 'verified-list',
    schema: VERIFIED_SCHEMA,
    files: {
      'verified.csv': 'origin,first,last,claimed\nhttps://a.example/,2026-01-01 10:00 ET,2026-01-01 10:00 ET,true\n',
    },
  });
  await site.write('data/products/dead-share.json', {...PRODUCT, ...product});
  return site;
}

/** The products of one site by title. The site is built once for all tests of valid queries. */
const ANSWERED: Record<string, object> = {};
let answering: Promise<SiteFixture> | undefined;
after(async () => (await answering)?.[Symbol.asyncDispose]());

/** Returns the paid document of a product of the site, or another one. */
async function answer(title: string, path = ''): Promise<Record<string, unknown>> {
  const {root} = await (answering ??= answered());
  const name = title.replaceAll(' ', '').toLowerCase();
  return readJson(root, `public/api/v1/${path === '' ? name : `${path}/${name}.json`}`);
}

async function answered(): Promise<SiteFixture> {
  const site = await querySite();
  for (const [title, product] of Object.entries(ANSWERED))
    await site.write(`data/products/${title.replaceAll(' ', '-').toLowerCase()}.json`, {...PRODUCT, title, ...product});
  assert.equal((await site.build()).err, '');
  return site;
}

test('only a query over a list of persons has listed: false and its sentence', async () => {
  await using site = await querySite();
  await site.write('data/products/listing.json', {...PRODUCT, title: 'Listing', listed: false});
  assert.equal((await site.build()).err, '');
  for (const [name, says] of [
    ['deadshare', false],
    ['listing', true],
  ] as const) {
    for (const path of [name, `samples/${name}.json`]) {
      const document = await readJson(site.root, `public/api/v1/${path}`);
      assert.equal(document['listed'], says ? false : undefined, path);
      assert.deepEqual(
        [document['reason'], document['note']].map(text => String(text).endsWith('listed=true is never invented.')),
        [says, says],
        path,
      );
    }
    for (const part of ['sample', 'paid']) {
      const file = part === 'sample' ? `${name}.sample.json` : `${name}.json`;
      const {required} = await readJson(site.root, `public/api/v1/schemas/${file}`);
      assert.equal((required as string[]).includes('listed'), says, file);
    }
  }
  await site.write('data/products/listing.json', {...PRODUCT, title: 'Listing', listed: true});
  assert.match((await site.build()).err, /^data\/products\/listing\.json:\d+: listed true is not false$/m);
});

test('figures and rows are those of the queries, in the same order', async () => {
  const paid = await answer('Dead Share');
  assert.deepEqual(Object.keys(paid), [
    'name',
    'title',
    'as_of',
    'reason',
    'note',
    'rows_n',
    'dead_n',
    'dead_ratio',
    'rows',
    'rows_total',
    'sha256',
  ]);
  assert.deepEqual([paid['rows_n'], paid['dead_n'], paid['dead_ratio'], paid['rows_total']], [4, 3, 3 / 4, 3]);
  assert.deepEqual(
    paid['rows'],
    ['a', 'b', 'c'].map(name => ({url: `https://${name}.example/`, class: 'dead'})),
  );
  const sample = await answer('Dead Share', 'samples');
  assert.deepEqual(sample['examples'], [{url: 'https://a.example/', class: 'dead'}]);
  const history = await answer('Dead Share', 'history');
  assert.deepEqual(
    (history['points'] as Record<string, unknown>[]).map(point => point['dead_ratio']),
    [0.5, 0.75],
  );
});

ANSWERED['First Rows'] = {max_rows: 2};
test('max_rows truncates the sold rows and says so', async () => {
  const paid = await answer('First Rows');
  assert.deepEqual([(paid['rows'] as unknown[]).length, paid['rows_total'], paid['rows_truncated']], [2, 3, true]);
});

ANSWERED['Changes'] = {
  figures: 'SELECT count(*) AS flipped_n FROM rows JOIN rows_before AS b USING (url) WHERE rows.class <> b.class',
  rows: 'SELECT url, b.class AS was, rows.class AS became FROM rows JOIN rows_before AS b USING (url) WHERE was <> became ORDER BY url',
};
test('a product over the previous freeze describes the changes', async () => {
  const paid = await answer('Changes');
  assert.deepEqual(paid['rows'], [{url: 'https://a.example/', was: 'fraud', became: 'dead'}]);
  assert.match(
    String(paid['note']),
    /deny-list as of 2026-05-01T12:00:00\.000Z .* and deny-list as of 2026-04-01T12:00:00\.000Z/,
  );
  const history = await answer('Changes', 'history');
  assert.deepEqual((history['points'] as unknown[]).length, 1, 'the first freeze has no previous one');
});

ANSWERED['Both Lists'] = {
  source: undefined,
  sources: {verified: 'verified-list', rows: 'deny-list'},
  figures: 'SELECT count(*) AS both_n FROM rows JOIN verified ON url = origin',
  rows: 'SELECT url, claimed FROM rows JOIN verified ON url = origin ORDER BY url',
};
test('a product joins several sources', async () => {
  const paid = await answer('Both Lists');
  assert.deepEqual(paid['rows'], [{url: 'https://a.example/', claimed: true}]);
  assert.match(String(paid['note']), /deny-list as of .* and verified-list as of/);
});

ANSWERED['Types'] = {
  figures: `SELECT 9007199254740993 AS huge, -170141183460469231731687303715884105727::HUGEINT AS larger, 7::TINYINT AS small, 1.50::DECIMAL(10, 2) AS money,
    0.1::DOUBLE + 0.2::DOUBLE AS sum, DATE '2024-02-29' AS day, TIMESTAMP '2024-02-29 10:00:00.5' AS moment, true AS yes, 'é"' AS words,
    [1, 2]::INTEGER[] AS list, {a: 1::INTEGER, b: ['x']} AS struct, [1.50, 2.25] AS prices, ['b'::ENUM ('a', 'b')] AS enums`,
  rows: 'SELECT url FROM rows ORDER BY url; -- and a comment',
};
test('values of every type have one form, which is in the schema', async () => {
  const sample = await answer('Types', 'samples');
  const names = [
    'huge',
    'larger',
    'small',
    'money',
    'sum',
    'day',
    'moment',
    'yes',
    'words',
    'list',
    'struct',
    'prices',
    'enums',
  ];
  assert.deepEqual(
    names.map(name => sample[name]),
    [
      '9007199254740993',
      '-170141183460469231731687303715884105727',
      7,
      '1.50',
      0.1 + 0.2,
      '2024-02-29',
      '2024-02-29T10:00:00.5',
      true,
      'é"',
      [1, 2],
      {a: 1, b: ['x']},
      ['1.50', '2.25'],
      ['b'],
    ],
  );
  const {properties} = (await answer('Types', 'schemas')) as {
    properties: Record<string, {type?: unknown; anyOf?: readonly {type: unknown}[]}>;
  };
  assert.deepEqual(
    names.map(name => properties[name]?.type ?? properties[name]?.anyOf?.map(({type}) => type)),
    [
      ['integer', 'string'],
      ['integer', 'string'],
      'integer',
      'string',
      'number',
      'string',
      'string',
      'boolean',
      'string',
      'array',
      'object',
      'array',
      'array',
    ],
  );
});

const ROWS = 'SELECT url FROM rows ORDER BY url';
/** Queries, and the messages about them. */
const AVERAGE = /computes in a precision that differs between platforms$/;

const refusedFigures: readonly (readonly [string, RegExp])[] = [
  ['SELEC 1', /at character 1: syntax error/],
  ['SELECT nope FROM rows', /at character 8: Binder Error: .*nope/],
  ['SELECT sum(url::JSON) AS a FROM rows', /Binder Error: No function .* explicit type casts$/],
  ['SELECT 1 AS a; SELECT 2 AS a', /exactly one SELECT/],
  ['', /figures "" /],
  ["INSERT INTO rows VALUES ('x', 'dead')", /is not exactly one SELECT statement/],
  ["COPY rows TO 'data/out.csv'", /is not exactly one SELECT statement/],
  ["ATTACH 'x.db'", /is not exactly one SELECT statement/],
  ['CREATE TABLE x AS SELECT 1', /is not exactly one SELECT statement/],
  ['SET threads = 4', /is not exactly one SELECT statement/],
  ['PRAGMA version', /is not exactly one SELECT statement/],
  ['SELECT random() AS a', /at character 8: random\(\) can return a different result/],
  ['SELECT 2 ** 0.5 AS a', /at character \d+: \*\*\(\) can return a different result/],
  ['SELECT round(Log10(2), 2) AS a', /log10\(\) can return a different result/],
  ['SELECT avg(length(url)) AS a FROM rows', AVERAGE],
  ['SELECT AVG(length(url)::DECIMAL(9, 2)) OVER () AS a FROM rows LIMIT 1', AVERAGE],
  ['SELECT mean(length(url)) FILTER (true) AS a FROM rows', AVERAGE],
  ['SELECT list_avg(list(length(url))) AS a FROM rows', AVERAGE],
  ["SELECT list_aggregate(list(length(url)), 'Avg') AS a FROM rows", AVERAGE],
  ["SELECT aggregate([1, 2], 'mean') AS a", AVERAGE],
  ['SELECT [1, 2].list_avg() AS a', AVERAGE],
  ['SELECT kurtosis(length(url)) AS a FROM rows', /kurtosis\(\) can return/],
  [
    "SELECT list_aggregate(list(url), 'approx_count_distinct') AS n FROM rows",
    /approx_count_distinct\(\) can return a different result/,
  ],
  [`SELECT 1${' + 1'.repeat(4000)} AS a`, /is nested too deeply/],
  ['SELECT now()::VARCHAR AS a', /now\(\) can return a different result/],
  ['SELECT current_date AS a', /current_date can return a different result/],
  ['SELECT CURRENT_TIMESTAMP::VARCHAR AS a', /current_timestamp can return a different result/],
  ['SELECT today() AS a', /today\(\) can return a different result/],
  ['SELECT uuid() AS a', /uuid\(\) can return a different result/],
  ["SELECT age(TIMESTAMP '2020-01-01')::VARCHAR AS a", /age\(\) can return a different result/],
  ["SELECT current_setting('threads') AS a", /current_setting\(\) can return a different result/],
  ['SELECT version() AS a', /version\(\) can return a different result/],
  ['SELECT count(*) AS n FROM rows USING SAMPLE 10%', /random sample/],
  ['SELECT count(*) AS n FROM rows TABLESAMPLE 10%', /random sample/],
  ["SELECT count(*) AS n FROM read_csv('/etc/passwd')", /at character \d+: read_csv\(\) cannot be used in FROM/],
  ["SELECT count(*) AS n FROM '/etc/passwd'", /"\/etc\/passwd" is not a table of this product/],
  ["SELECT count(*) AS n FROM read_text('data/site.json')", /read_text\(\) cannot be used in FROM/],
  ["SELECT count(*) AS n FROM glob('**')", /glob\(\) cannot be used in FROM/],
  ["SELECT count(*) AS n FROM 'https://example.com/x.csv'", /is not a table of this product/],
  ['SELECT count(*) AS n FROM row', /"row" is not a table of this product, which has rows$/],
  ['SELECT max(clas) AS n FROM rows', /"clas" not found in FROM clause! Candidate bindings: "class"/],
  ['SELECT max(rows.clas) AS n FROM rows', /does not have a column named "clas" Candidate bindings: "class"/],
  ['SELECT cuont(*) AS n FROM rows', /name cuont does not exist! Did you mean "count"\?$/],
  ['SELECT count(*) AS n FROM duckdb_settings()', /duckdb_settings\(\) cannot be used in FROM/],
  ['SELECT count(*) AS n FROM information_schema.tables', /"tables" is not a table/],
  ['SELECT count(*) AS n FROM duckdb_tables', /"duckdb_tables" is not a table/],
  ['SELECT count(*) AS n FROM sqlite_master', /is not a table/],
  ["SELECT count(*) AS n FROM query('SELECT 1')", /query\(\) cannot be used in FROM/],
  ["SELECT count(*) AS n FROM query_table('rows')", /query_table\(\) cannot be used in FROM/],
  ['SELECT count(*) AS n FROM verified', /"verified" is not a table/],
  ['SELECT (SELECT count(*) FROM other) AS n FROM rows', /"other" is not a table/],
  ['WITH x AS (SELECT * FROM other) SELECT count(*) AS n FROM x', /"other" is not a table/],
  ['SELECT count(*) AS n FROM (DESCRIBE rows)', /cannot be used in FROM/],
  ["SELECT count(*) AS n FROM json_each('[1]')", /json_each\(\) cannot be used in FROM$/],
  ['SELECT url FROM rows', /more than one row/],
  ['SELECT 1 AS a WHERE false', /returns no row/],
  ['SELECT NULL AS a', /a is NULL or contains NULL/],
  ['SELECT {x: NULL::INTEGER} AS a', /a is NULL or contains NULL/],
  [`SELECT '{"x": [1, null]}'::JSON AS a`, /a is NULL or contains NULL, which is not allowed in figures$/],
  [`SELECT '{"x": 1, "x": 2}'::JSON AS a`, /a contains an object with a repeated member/],
  [`SELECT '[0.1234567890123456789]'::JSON AS a`, /a contains a number that a double cannot represent/],
  ["SELECT '1e400'::JSON AS a", /a contains a number that a double cannot represent/],
  ["SELECT (repeat('[', 17) || repeat(']', 17))::JSON AS a", /a is nested deeper than 16 levels/],
  ["SELECT 'NaN'::DOUBLE AS a", /a is NaN/],
  ["SELECT 'inf'::DOUBLE AS a", /a is Infinity/],
  ["SELECT [1.0::DOUBLE, '-inf'::DOUBLE] AS a", /a\[1\] is -Infinity/],
  ['SELECT 1 AS a, 2 AS a', /two columns called "a"/],
  ['SELECT count(*) FROM rows', /a column called "count_star\(\)", but names have only/],
  ['SELECT 1 AS "a b"', /a column called "a b"/],
  ['SELECT 1 AS title', /called "title", which is the name of a member of every document/],
  ['SELECT 1 AS sha256', /called "sha256"/],
  ['SELECT true AS listed', /called "listed"/],
  ["SELECT 'x'::BLOB AS a", /a is of type BLOB/],
  ['SELECT INTERVAL 1 DAY AS a', /a is of type INTERVAL/],
  ['SELECT MAP {1: 2} AS a', /a is of type MAP/],
  ['SELECT [1.5]::DECIMAL(2,1)[1] AS a', /a is of type DECIMAL\(2,1\)\[1\]/],
  ["SELECT TIMESTAMP 'infinity' AS a", /a is infinity: documents can contain only the years 0000 to 9999/],
  ["SELECT [DATE '-infinity'] AS a", /a\[0\] is .*: documents can contain only the years/],
  ["SELECT TIMESTAMP '0044-03-15 (BC) 10:00:00' AS a", /a is .*BC.*: documents can contain only the years/],
  ['SELECT row(1, 2) AS a', /a has members with an empty, repeated or forbidden name: "", ""/],
  ["SELECT {'__proto__': 3} AS a", /a has members with an empty, repeated or forbidden name: "__proto__"/],
];

const refusedRows: readonly (readonly [string, RegExp])[] = [
  ['SELECT url FROM rows', /needs an ORDER BY/],
  ['SELECT * FROM (SELECT url FROM rows ORDER BY url)', /needs an ORDER BY/],
  [
    "SELECT CASE WHEN url = (SELECT min(url) FROM rows) THEN 'a' ELSE 'A' END COLLATE NOCASE AS u FROM rows ORDER BY u",
    /rows is not reproducible/,
  ],
  ['SELECT url, random() AS r FROM rows ORDER BY url', /random\(\) can return a different result/],
  ['SELECT url, url::INTEGER AS n FROM rows ORDER BY url', /at character 16: Conversion Error: .*https/],
  ['SELECT url, nope FROM rows ORDER BY url', /at character 13: Binder Error: .*nope/],
  ['SELECT url, url FROM rows ORDER BY 1', /two columns called "url"/],
  ['SELECT url, true AS listed FROM rows ORDER BY url', /claims listed true/],
];

/** Queries with an ORDER BY that leaves rows equal, and their result: equal rows are sorted by all columns. */
const TIED: readonly (readonly [string, readonly (readonly unknown[])[]])[] = [
  [
    "SELECT class, k FROM (VALUES ('b', 2), ('a', 9), ('b', 1)) AS t(class, k) ORDER BY class DESC",
    [
      ['b', 1],
      ['b', 2],
      ['a', 9],
    ],
  ],
  ["SELECT k FROM (VALUES ('b', 2), ('b', 1)) AS t(class, k) ORDER BY class LIMIT 1", [[1]]],
  [
    'SELECT * FROM (VALUES (1, 3), (1, 2)) AS t(a, b) ORDER BY 1',
    [
      [1, 2],
      [1, 3],
    ],
  ],
  [
    'SELECT a AS b, b AS a FROM (VALUES (1, 3), (2, 3)) AS t(a, b) ORDER BY a',
    [
      [1, 3],
      [2, 3],
    ],
  ],
  [
    "SELECT u COLLATE NOCASE AS u, k FROM (VALUES ('A', 2), ('a', 1)) AS t(u, k) ORDER BY u",
    [
      ['a', 1],
      ['A', 2],
    ],
  ],
  [
    'SELECT x, y FROM (VALUES (0.0::DOUBLE, 2), (-0.0::DOUBLE, 1)) AS t(x, y) ORDER BY x',
    [
      [0, 1],
      [0, 2],
    ],
  ],
  [
    "SELECT a, b FROM (VALUES (1, 3), (1, 2)) AS t(a, b) ORDER BY COLUMNS('a')",
    [
      [1, 2],
      [1, 3],
    ],
  ],
  [
    'SELECT a, b FROM (VALUES (2, 3), (1, 4)) AS t(a, b) ORDER BY ALL DESC',
    [
      [2, 3],
      [1, 4],
    ],
  ],
  [
    'SELECT 1 AS a, 2 AS b UNION ALL SELECT 1, 1 ORDER BY a',
    [
      [1, 1],
      [1, 2],
    ],
  ],
];

for (const [index, [rows]] of TIED.entries()) ANSWERED[`Tied ${index}`] = {rows};
test('rows that the ORDER BY of a query leaves equal are sorted by all columns', async () => {
  for (const [index, [query, expected]] of TIED.entries()) {
    const {rows} = await answer(`Tied ${index}`);
    assert.deepEqual(
      (rows as Record<string, unknown>[]).map(row => Object.values(row)),
      expected,
      query,
    );
  }
});

test('a forbidden query is refused with product, position and reason, and nothing is written', async () => {
  await using site = await querySite();
  await site.build();
  const before = await readOutput(site.root);
  const cases = [
    ...refusedFigures.map(([figures, rule]) => ({figures, rows: ROWS, rule})),
    ...refusedRows.map(([rows, rule]) => ({figures: PRODUCT.figures, rows, rule})),
  ];
  const fileOf = (index: number) => `data/products/case-${index}.json`;
  for (const [index, {figures, rows}] of cases.entries())
    await site.write(fileOf(index), {...PRODUCT, title: `Case ${index}`, figures, rows});
  // Errors that do not need DuckDB are reported first.
  const left = new Set(cases.keys());
  while (left.size > 0) {
    const {code, out, err} = await site.build('--json');
    assert.equal(code, 1, `refuses ${[...left].join(', ')}`);
    assert.doesNotMatch(err, /\n\s+at /);
    const errors = jsonErrors(out);
    const of = (index: number) => errors.filter(({file = ''}) => new RegExp(`case-?${index}(\\.|$)`).test(file));
    const reported = [...left].filter(index => of(index).length > 0);
    assert.notEqual(reported.length, 0, err);
    for (const index of reported) {
      const {figures = '', rows = '', rule = /^$/} = cases[index] ?? {};
      const lines = of(index).map(errorLine);
      assert.match(lines.join('\n'), rule, `${figures} | ${rows}`);
      for (const line of lines)
        assert.match(line, /^(data\/products\/case-\d+\.json(:\d+)?: (figures|rows) |public\/api\/v1\/)/);
      await rm(join(site.root, fileOf(index)));
      left.delete(index);
    }
  }
  assert.deepEqual(await readOutput(site.root), before);
  assert.equal(existsSync(join(site.root, 'data/out.csv')), false);
});

/** Figures that a newcomer writes, and the remedy. */
const NEWCOMERS: readonly (readonly [figures: string, remedy: RegExp])[] = [
  ['SELECT avg(length(url)) AS a FROM rows', /Write sum\(x\) \/ count\(x\)/],
  ['SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY length(url)) AS a FROM rows', /quantile_disc\(x, 0\.9\)/],
  ['SELECT approx_count_distinct(url) AS a FROM rows', /count\(DISTINCT x\)/],
  ['SELECT sum(pow(length(url), 2)) AS a FROM rows', /x \* x/],
  ['SELECT count(*) AS a FROM rows WHERE url < now()::VARCHAR', /in place of the clock/],
  ['SELECT count(*) AS a FROM rows WHERE class = "dead"', /A text needs single quotation marks\./],
  ["SELECT max(date_trunc('month', url)) AS a FROM rows", /Cast texts to the type .* CAST\(day AS DATE\)\./],
  ['SELECT sum(url) AS a FROM rows', /Cast texts to the type/],
];
test('common mistakes in a query are refused with what to write', async () => {
  await using site = await querySite();
  for (const [figures, remedy] of NEWCOMERS) {
    await site.write('data/products/dead-share.json', {...PRODUCT, figures, rows: ROWS});
    const {code, remedies} = await site.build();
    assert.equal(code, 1, figures);
    assert.match(remedies ?? '', remedy, figures);
  }
});

test('no row is sold if nothing changed since the previous freeze, and the history says so', async () => {
  await using site = await querySite({
    figures: 'SELECT count(*) AS changed_n FROM (FROM rows EXCEPT FROM rows_before)',
    rows: 'FROM rows EXCEPT FROM rows_before ORDER BY url',
  });
  const same = {'deny-list.csv': 'url,class\nhttps://c.example/,fraud\n'};
  for (const date of ['2026-05-08', '2026-05-15'])
    await site.freeze({source: 'deny-list', date, schema: DENY_SCHEMA, files: same});
  const {out, err} = await site.build();
  assert.equal(err, '');
  assert.match(out, /^only figures are for sale: Dead Share$/m);
  const paid = await readJson(site.root, 'public/api/v1/deadshare');
  assert.deepEqual([paid['changed_n'], paid['rows'], paid['rows_total']], [0, [], 0]);
  const {points} = await readJson(site.root, 'public/api/v1/history/deadshare.json');
  assert.deepEqual(
    (points as {changed_n: number}[]).map(point => point.changed_n),
    [3, 1, 0],
  );
});

/** Queries that only look dangerous. */
const ALLOWED = [
  "SELECT 'SELECT random()' AS a",
  'WITH x AS (SELECT count(*) AS n FROM rows) SELECT n FROM x',
  'SELECT count(*) AS n FROM range(3)',
  'SELECT list(url ORDER BY url) AS urls FROM rows',
  'SELECT list(DISTINCT class ORDER BY class) AS classes, count(DISTINCT url) AS urls_n FROM rows',
  'SELECT [1.5] AS decimals -- with a comment',
  "SELECT sqrt(2) AS root, list_aggregate([1, 2], 'sum') AS total",
  'SELECT sum(x) AS total FROM (VALUES (1), (2)) AS t(x)',
  "SELECT count(*) AS n FROM rows WHERE class IN ('dead', 'x''; DROP TABLE rows; --')",
  'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT max(n) AS top FROM t',
];
for (const [index, figures] of ALLOWED.entries()) ANSWERED[`Allowed ${index}`] = {figures};
test('queries that only look dangerous run', async () => {
  for (const index of ALLOWED.keys()) assert.equal((await answer(`Allowed ${index}`))['rows_total'], 3);
});

ANSWERED['Means'] = {
  figures: `SELECT sum(n) / count(n) AS whole, sum(n::DECIMAL(18, 2)) / count(n) AS parts, list_sum(list(n)) / list_count(list(n)) AS listed_mean
    FROM (VALUES (1), (NULL), (2), (4)) AS t(n)`,
};
test('sum(x) / count(x) is the mean of integers and of decimals, as a double', async () => {
  const {whole, parts, listed_mean} = await answer('Means');
  assert.deepEqual([whole, parts, listed_mean], [7 / 3, 7 / 3, 7 / 3]);
});

test('a product needs one main table', async () => {
  await using site = await querySite();
  for (const sources of [
    {source: undefined},
    {sources: {rows: 'deny-list'}},
    {source: undefined, sources: {verified: 'verified-list'}},
  ]) {
    await site.write('data/products/dead-share.json', {...PRODUCT, ...sources});
    const {code, err, remedies} = await site.build();
    assert.equal(code, 1);
    assert.match(err, /source ([^\n]* )?is missing, or set together with "sources"$/m);
    assert.match(remedies ?? '', /: Set one source, or sources with a table "rows"\.$/m);
  }
  for (const [rows, says] of [
    ['deny-list/', 'is not the name of a folder in data/sources; did you mean deny-list\\?'],
    ['denylist', 'is not a folder in data/sources; did you mean deny-list\\?'],
    ['nowhere', 'is not a folder in data/sources'],
  ] as const) {
    await site.write('data/products/dead-share.json', {...PRODUCT, source: undefined, sources: {rows}});
    assert.match((await site.build()).err, new RegExp(`dead-share.json:\\d+: sources.rows "${rows}" ${says}\n$`));
  }
  await site.write('data/products/dead-share.json', {
    ...PRODUCT,
    source: 'verified-list',
    figures: 'SELECT count(*) AS n FROM rows_before',
    rows: 'SELECT origin FROM rows ORDER BY origin',
  });
  assert.match((await site.build()).err, /"rows_before" needs two freezes of/);
});
