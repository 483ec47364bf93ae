import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {DuckDBInstance} from '@duckdb/node-api';
import {PROJECT} from '../project.ts';
import {CLASS_SHARE} from '../build/site-fixture.ts';
import {freezeFixture, type FreezeFixture} from './freeze-fixture.ts';

const COUNTRIES = join(PROJECT, 'tests/lists/countries.json');

interface Country {
  readonly url: string;
  readonly class: string;
  readonly name: {readonly common: string; readonly native: object};
  readonly tld: readonly string[] | null;
  readonly region?: string | null;
}

type Json = Readonly<Record<string, unknown>>;

/** The rows of the list, by the parser of Node. */
async function countries(): Promise<readonly Country[]> {
  const {data} = JSON.parse(await readFile(COUNTRIES, 'utf8')) as {data: Country[]};
  return data.toSorted((a, b) => (a.url < b.url ? -1 : 1));
}

async function frozen(fixture: FreezeFixture, name: string, content: string, ...args: string[]) {
  return fixture.freeze('things', await fixture.list(name, content), '--as-of', '2026-05-01', ...args);
}

async function built(fixture: FreezeFixture, name: string): Promise<Json> {
  return JSON.parse(await readFile(join(fixture.site.root, 'public/api/v1', name), 'utf8')) as Json;
}

const QUERY = {
  title: 'Domains',
  kind: 'query',
  price: '$0.02',
  source: 'things',
  examples: 1,
  difference: 'lists the domains of countries',
  figures: `SELECT count(*) AS rows_n, count(*) FILTER (json_array_length(tld) > 1) AS several_n,
    count(*) FILTER (region IS NULL) AS nowhere_n, sum(len(json_keys(name, '$.native'))) AS names_n FROM rows`,
  rows: "SELECT name->>'common' AS country, tld, tld->>0 AS first_tld, region, share FROM rows ORDER BY country",
};

test('a list with nested values and nulls is frozen and sold unchanged', async () => {
  await using fixture = await freezeFixture();
  const {err} = await fixture.freeze('things', COUNTRIES, '--property', 'data', '--as-of', '2026-05-01');
  assert.equal(err, '');
  const [resource] = (await fixture.descriptor('things', '2026-05-01')).resources;
  assert.deepEqual(resource.dialect, {property: 'data'});
  assert.equal(resource.rows, 7);
  assert.deepEqual(Object.fromEntries(resource.schema?.fields.map(({name, ...rest}) => [name, rest]) ?? []), {
    url: {type: 'string', constraints: {required: true, pattern: 'https?://\\S+'}},
    class: {type: 'string', constraints: {required: true, enum: ['dependent', 'independent']}},
    name: {type: 'object', constraints: {required: true}},
    tld: {type: 'array'},
    region: {type: 'string'},
    borders: {type: 'array'},
    area: {type: 'integer', constraints: {required: true}},
    share: {type: 'number', scale: 22},
  });

  await fixture.site.write('data/products/independent.json', {
    ...CLASS_SHARE,
    title: 'Independent',
    source: 'things',
    class: 'independent',
  });
  await fixture.site.write('data/products/domains.json', QUERY);
  const {code, err: faults} = await fixture.site.build();
  assert.equal(code, 0, faults);

  const rows = await countries();
  const independent = await built(fixture, 'independent');
  const exact: Readonly<Record<string, string>> = {
    'https://be.example/': '0.0014300000000000000000',
    'https://ch.example/': '0.0011000000000000000000',
    'https://gb.example/': '0.0085200000000000000000',
  };
  const expected = rows
    .filter(row => row.class === 'independent')
    .map(row => (exact[row.url] === undefined ? row : {...row, share: exact[row.url]}));
  assert.deepEqual(independent['rows'], expected);

  const domains = await built(fixture, 'domains');
  const {rows_n, several_n, nowhere_n, names_n} = domains;
  assert.deepEqual(
    {rows_n, several_n, nowhere_n, names_n},
    {
      rows_n: rows.length,
      several_n: rows.filter(({tld}) => (tld?.length ?? 0) > 1).length,
      nowhere_n: rows.filter(({region}) => region === null || region === undefined).length,
      names_n: rows.reduce((sum, {name}) => sum + Object.keys(name.native).length, 0),
    },
  );
  const sold = domains['rows'] as readonly Json[];
  const byName = rows.toSorted((a, b) => (a.name.common < b.name.common ? -1 : 1));
  assert.deepEqual(
    sold.map(({country, tld, first_tld, region}) => ({country, tld, first_tld, region})),
    byName.map(({name, tld, region}) => ({
      country: name.common,
      tld,
      first_tld: tld?.[0] ?? null,
      region: region ?? null,
    })),
  );
  assert.equal(sold.find(({country}) => country === 'Aruba')?.['share'], '0.0000135012345678901234');
  const schema = JSON.stringify(await built(fixture, 'schemas/domains.json'));
  assert.match(schema, /"region":\{"type":\["string","null"\]\}/);
  assert.match(schema, /"country":\{"type":"string"\}/);
});

describe('a later freeze of nested values', {concurrency: 2}, () => {
  test('finds rows in the same member, and is compared for all shapes of values', async () => {
    await using fixture = await freezeFixture();
    await fixture.freeze('things', COUNTRIES, '--property', 'data', '--as-of', '2026-05-01');
    const text = await readFile(COUNTRIES, 'utf8');
    const later = text
      .replace('"native": {}', '"native": [1]')
      .replace('"tld": [".be"]', '"tld": [{"be": 1}]')
      .replace('"region": null, ', '');
    const path = await fixture.list('later.json', later);
    const {code, out, err} = await fixture.freeze('things', path, '--as-of', '2026-06-01');
    assert.equal(code, 0, err);
    assert.match(out, /since 2026-05-01: 0 added, 0 removed, 2 changed/);
    assert.match(out, /tld: 1 row$/m);
    assert.match(out, /name: 1 row$/m);
    assert.deepEqual((await fixture.descriptor('things', '2026-06-01')).resources[0].dialect, {property: 'data'});
    await fixture.site.write('data/products/domains.json', {
      ...QUERY,
      figures: 'SELECT count(*) AS rows_n FROM rows',
      rows: "SELECT name->>'common' AS country, tld, name->'native' AS native FROM rows ORDER BY country",
    });
    const ran = await fixture.site.build();
    assert.equal(ran.code, 0, ran.err);
    const sold = (await built(fixture, 'domains'))['rows'] as readonly Json[];
    assert.deepEqual(
      sold.slice(0, 1).map(({country, native}) => [country, native]),
      [['Antarctica', [1]]],
    );
  });
});

test('structs, lists and maps of Parquet are objects and arrays', async () => {
  await using fixture = await freezeFixture();
  const path = join(fixture.lists, 'things.parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (SELECT 'https://a.example/' AS url, {'x': 1.5::DOUBLE, 'y': [NULL, 2]} AS pair, ['b', 'c'] AS list,
    MAP {'k': DATE '2026-05-01'} AS map, 12345678901234567890.123::DECIMAL(38, 3) AS sum, 1.25::DECIMAL(4, 2) AS small,
    [TIMESTAMP '2026-05-01 12:00:00'] AS times) TO '${path}'`);
  connection.closeSync();
  instance.closeSync();
  const {code, err, out} = await fixture.freeze('things', path, '--as-of', '2026-05-01', '--json');
  assert.equal(code, 0, err);
  const {schema} = JSON.parse(out) as {schema: {fields: {type: string; scale?: number}[]}};
  assert.deepEqual(
    schema.fields.map(({type, scale}) => [type, scale]),
    [
      ['string', undefined],
      ['object', undefined],
      ['array', undefined],
      ['object', undefined],
      ['number', 3],
      ['number', undefined],
      ['array', undefined],
    ],
  );
  await fixture.site.write('data/products/all.json', {
    ...QUERY,
    figures: 'SELECT count(*) AS rows_n FROM rows',
    rows: 'SELECT * FROM rows ORDER BY url',
  });
  const ran = await fixture.site.build();
  assert.equal(ran.code, 0, ran.err);
  assert.deepEqual((await built(fixture, 'domains'))['rows'], [
    {
      url: 'https://a.example/',
      pair: {x: 1.5, y: [null, 2]},
      list: ['b', 'c'],
      map: {k: '2026-05-01'},
      sum: '12345678901234567890.123',
      small: 1.25,
      times: ['2026-05-01T12:00:00'],
    },
  ]);
});

describe('decimals of CSV', {concurrency: 2}, () => {
  const LIST = 'id,sum\na,12345678901234567.89\nb,-0.5\nc,7\nd,\n';

  test('are stored exactly if a double cannot represent one', async () => {
    await using fixture = await freezeFixture();
    assert.equal((await frozen(fixture, 'things.csv', LIST)).code, 0);
    await fixture.site.write('data/products/all.json', {
      ...QUERY,
      figures: 'SELECT sum(sum) AS total FROM rows',
      rows: 'SELECT * FROM rows ORDER BY id',
    });
    const ran = await fixture.site.build();
    assert.equal(ran.code, 0, ran.err);
    const domains = await built(fixture, 'domains');
    assert.equal(domains['total'], '12345678901234574.39');
    assert.deepEqual(
      (domains['rows'] as readonly Json[]).map(({sum}) => sum),
      ['12345678901234567.89', '-0.50', '7.00', null],
    );
    const finer = await fixture.list('finer.csv', 'id,sum\na,0.123\n');
    const {code, err} = await fixture.freeze('things', finer, '--as-of', '2026-06-01');
    assert.equal(code, 1);
    assert.match(err, /:2: sum "0\.123" is not a decimal of at most 36 digits before its point and 2 after it$/m);
  });

  test('that no double can represent are refused in a column of doubles', async () => {
    await using fixture = await freezeFixture();
    assert.equal((await frozen(fixture, 'things.csv', 'id,sum\na,0.5\n')).code, 0);
    const {code, err} = await fixture.freeze('things', await fixture.list('more.csv', LIST), '--as-of', '2026-06-01');
    assert.equal(code, 1);
    assert.match(
      err,
      /:2: sum "12345678901234567\.89" has more digits or a larger exponent than a double represents$/m,
    );
  });
});
