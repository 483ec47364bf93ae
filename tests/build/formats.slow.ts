import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {DuckDBInstance} from '@duckdb/node-api';
import {openRowFiles} from '../../build/documents/row-files.ts';
import {verifySite} from '../../buyer/verify/verify-site.ts';
import type {Entry} from '../../shared/shapes.ts';
import {CLASS_SHARE, DENY_SCHEMA, emptySite, type SiteFixture} from './site-fixture.ts';
import {readJson, readOutput} from './tree.ts';

const FILE = 'data/products/soft-fail-3.json';
const SCHEMA = {
  ...DENY_SCHEMA,
  fields: [
    ...DENY_SCHEMA.fields,
    {name: 'n', type: 'integer'},
    {name: 'x', type: 'number'},
    {name: 'ok', type: 'boolean'},
    {name: 'note', type: 'string'},
  ],
};

async function siteOf(product: object): Promise<SiteFixture> {
  const site = await emptySite();
  await site.write(FILE, {...CLASS_SHARE, ...product});
  const lines = [
    {url: 'https://a.example/', class: 'soft_fail', n: 1, x: 0.5, ok: true, note: 'say "a, b"\nand c'},
    {url: 'https://b.example/', class: 'soft_fail', n: null, x: 1e21, ok: null, note: ''},
    {url: 'https://c.example/', class: 'soft_fail', n: -3, x: null, ok: false, note: null},
    {url: 'https://d.example/', class: 'dead', n: 4, x: 4, ok: true, note: 'not sold'},
    {url: 'https://e.example/', class: 'soft_fail', n: 5, x: 2, ok: true, note: '=1+1'},
  ].map(row => JSON.stringify(row));
  const files = {'deny-list.ndjson': `${lines.join('\n')}\n`};
  await site.freeze({source: 'deny-list', files, schema: SCHEMA, format: 'ndjson'});
  return site;
}

const ALL = {formats: ['json', 'csv', 'parquet']};

test('CSV has the rows of the paid document, and distinguishes missing values from empty texts', async () => {
  await using site = await siteOf(ALL);
  assert.equal((await site.build()).err, '');
  assert.equal(
    await readFile(join(site.root, 'public/api/v1/softfail3.csv'), 'utf8'),
    [
      'url,class,n,x,ok,note',
      'https://a.example/,soft_fail,1,0.5,true,"say ""a, b""\nand c"',
      'https://b.example/,soft_fail,,1e+21,,""',
      'https://c.example/,soft_fail,-3,,false,',
      'https://e.example/,soft_fail,5,2,true,=1+1',
      '',
    ].join('\n'),
  );
});

test('Parquet has the rows of the paid document, with their types', async () => {
  await using site = await siteOf(ALL);
  await site.build();
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const read = await connection.runAndReadAll(`FROM '${join(site.root, 'public/api/v1/softfail3.parquet')}'`);
  const types = read.columnTypes().map(String);
  assert.deepEqual(types, ['VARCHAR', 'VARCHAR', 'BIGINT', 'DOUBLE', 'BOOLEAN', 'VARCHAR']);
  const rows = read.getRowObjectsJson().map(row => ({...row, n: row['n'] === null ? null : Number(row['n'])}));
  const paid = await readJson(site.root, 'public/api/v1/softfail3');
  assert.deepEqual(rows, paid['rows']);
  connection.closeSync();
  instance.closeSync();
});

test('Parquet has integers of a query as integers, if they fit into 64 bits', async () => {
  await using site = await siteOf({});
  await site.write(FILE, {
    title: 'Soft Fail 3',
    kind: 'query',
    price: '$0.02',
    source: 'deny-list',
    figures: 'SELECT count(*) AS rows_n FROM rows',
    rows: 'SELECT url, n, count(*) OVER () AS of, 9007199254740993 + coalesce(n, 0) AS long, n::HUGEINT AS huge FROM rows ORDER BY url',
    difference: 'counts',
    ...ALL,
  });
  assert.equal((await site.build()).err, '');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const read = await connection.runAndReadAll(`FROM '${join(site.root, 'public/api/v1/softfail3.parquet')}'`);
  assert.deepEqual(read.columnTypes().map(String), ['VARCHAR', 'BIGINT', 'BIGINT', 'BIGINT', 'VARCHAR']);
  const [, , third] = read.getRows();
  assert.deepEqual(third, ['https://c.example/', -3n, 5n, 9007199254740990n, '-3']);
  const checks = await verifySite(site.root);
  assert.deepEqual(
    checks.filter(({what, state}) => what === 'rows' && state === 'passed').map(({subject}) => subject),
    ['/api/v1/softfail3.csv', '/api/v1/softfail3.parquet'],
  );
  connection.closeSync();
  instance.closeSync();
});

test('the bytes are the same in every run and with every number of threads', async () => {
  const columns = {name: 'string', n: 'integer', x: 'number', more: 'string'} as const;
  const rows = Array.from({length: 150_000}, (_, index) => {
    return {name: `row ${index % 977}`, n: index % 5 === 0 ? null : index, x: index / 7, more: [index % 3]};
  });
  for (const format of ['csv', 'parquet'] as const) {
    const files = [];
    for (const threads of [1, 1, 4]) {
      using rowFiles = await openRowFiles(threads);
      files.push(Buffer.from(await rowFiles.bytesOf(rows, columns, format)));
    }
    const [first = Buffer.alloc(0), ...others] = files;
    assert.ok(first.length > 500_000);
    for (const other of others) assert.ok(first.equals(other), format);
  }
});

test('formats and parts together: each part has each format and a rule, and verify accepts all', async () => {
  await using site = await siteOf({...ALL, parts: 3});
  assert.equal((await site.build()).err, '');
  const {products} = (await readJson(site.root, 'public/api/v1/index.json')) as unknown as {products: Entry[]};
  const paths = ['-1', '-2', '.csv', '.parquet', '-1.csv', '-1.parquet', '-2.csv', '-2.parquet'];
  const urls = paths.map(end => `https://test.example/api/v1/softfail3${end}`);
  assert.deepEqual(
    products[0]?.editions?.map(({url}) => url),
    urls,
  );
  assert.deepEqual(
    [...new Set(products[0].editions.map(({type}) => type))],
    ['application/json; charset=utf-8', 'text/csv; charset=utf-8', 'application/vnd.apache.parquet'],
  );
  const {rules} = (await readJson(site.root, 'paywall/rules/rules.json')) as {rules: {path: string; price: string}[]};
  assert.deepEqual(
    rules.map(({path}) => path),
    ['', ...paths].map(end => `/api/v1/softfail3${end}`),
  );
  const tree = await readOutput(site.root);
  const template = tree['paywall/rules/aws.template.json'] ?? '';
  for (const {path} of rules) assert.ok(template.includes(`"SearchString": "${path}"`), path);
  assert.ok(template.includes('"pay-softfail3-1_csv"') && template.includes(String.raw`"\\.json(?:\\.jws)?$"`));
  const checks = await verifySite(site.root);
  assert.deepEqual(
    checks.filter(({state}) => state === 'failed'),
    [],
  );
  const compared = checks.filter(({what, state}) => what === 'rows' && state === 'passed');
  assert.equal(compared.length, 6);
});

test('verify reports a file with other rows than the JSON document', async () => {
  await using site = await siteOf(ALL);
  await site.build();
  const csv = Buffer.from('url\nhttps://z.example/\n');
  await site.write('public/api/v1/softfail3.csv', csv);
  const catalogue = await readJson(site.root, 'public/api/v1/index.json');
  const text = JSON.stringify(catalogue, (member, value: unknown) => {
    const edition = value as {format?: string} | null;
    const {createHash} = process.getBuiltinModule('node:crypto');
    const sha256 = createHash('sha256').update(csv).digest('hex');
    return member !== '' && edition?.format === 'csv' ? {...edition, sha256, bytes: csv.length} : value;
  });
  await site.write('public/api/v1/index.json', text);
  const checks = await verifySite(site.root);
  const reported = checks.filter(({state}) => state === 'failed').map(({what, subject}) => `${what} ${subject}`);
  assert.ok(reported.includes('rows /api/v1/softfail3.csv'), reported.join('\n'));
});

const refused: readonly (readonly [says: string, product: object, reported: RegExp])[] = [
  [
    'an unknown format',
    {formats: ['json', 'xml']},
    /formats \["json","xml"\] is not a list of "json" and then of "csv", "parquet" or both\n$/,
  ],
  [
    'a product without JSON',
    {formats: ['csv']},
    /^data\/products\/soft-fail-3.json:11: formats \["csv"\] is not a list of [^\n]*\n$/,
  ],
];

for (const [says, product, reported] of refused) {
  test(`refuses ${says}`, async () => {
    await using site = await siteOf(product);
    const {code, err} = await site.build();
    assert.equal(code, 1);
    assert.match(err, reported);
    assert.deepEqual(await readOutput(site.root), {});
  });
}
