import assert from 'node:assert/strict';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {parquet} from '../build/bad-input/write-parquet.ts';
import {CLASS_SHARE} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';
import {PROJECT} from '../project.ts';
import {freezeFixture} from './freeze-fixture.ts';

const listOf = (name: string) => join(PROJECT, 'tests/lists/parquet', `${name}.parquet`);

const REFUSED: Readonly<Record<string, RegExp>> = {
  twins: /columns cannot be read: the names "class" and "Class" differ only in case$/m,
  'twins-inside': /column "l" has members that cannot be read: the names "v" and "V" differ only in case$/m,
  'twins-in-map': /column "m" has members that cannot be read: the names "v" and "V" differ only in case$/m,
  'no-name': /columns cannot be read: one has an empty name$/m,
  'no-name-inside': /column "s" has members that cannot be read: one has an empty name$/m,
  'decimal-39': /column "d" is a decimal of 39 digits, and at most 38 can be read$/m,
  'decimal-39-inside': /column "l" is a decimal of 39 digits/,
  int96: /column "t" is a timestamp of type INT96, whose nanoseconds would be lost/,
  'nanoseconds-utc': /column "t" is a timestamp with a time zone in nanoseconds/,
  'bytes-inside': /column "l" has values of type \S+, which is not a type that rows can have/,
};

describe('Parquet is refused if its values cannot be read exactly', {concurrency: 2}, () => {
  for (const [name, says] of Object.entries(REFUSED))
    test(name, async () => {
      await using fixture = await freezeFixture();
      const {code, err} = await fixture.freeze('things', listOf(name), '--as-of', '2026-05-01', '--primary-key', 'id');
      assert.match(err, says);
      assert.equal(code, 1);
    });
});

test('a nested value of Parquet has the form that it has as a column', async () => {
  await using fixture = await freezeFixture();
  const {code, err} = await fixture.freeze('things', listOf('forms'), '--as-of', '2026-05-01', '--primary-key', 'id');
  assert.equal(err, '');
  assert.equal(code, 0);
  await fixture.site.write('data/products/all.json', {
    ...CLASS_SHARE,
    title: 'All Forms',
    source: 'things',
    column: 'flag',
    as: 'true',
    class: true,
    key: 'id',
  });
  await fixture.site.write('data/products/others.json', {
    ...CLASS_SHARE,
    title: 'Other Forms',
    source: 'things',
    column: 'flag',
    as: 'false',
    class: false,
    key: 'id',
  });
  assert.equal((await fixture.site.build()).err, '');
  for (const name of ['allforms', 'otherforms']) {
    const document = await readJson(fixture.site.root, `public/api/v1/${name}`);
    const [row = {}] = document['rows'] as Record<string, unknown>[];
    const {all_struct: struct, map, ...others} = row;
    const {id, ...columns} = others;
    assert.equal(typeof id, 'string');
    assert.deepEqual(map, {k: columns['second']});
    const scalars = Object.entries(columns).filter(([column]) => !column.startsWith('l_'));
    assert.equal(scalars.length, 11);
    assert.deepEqual(struct, Object.fromEntries(scalars));
    for (const [column, value] of scalars) assert.deepEqual(columns[`l_${column}`], [value], column);
  }
});

/** SQL of values of every kind of type. */
const VALUES = [
  '1::INTEGER',
  '0.5::DOUBLE',
  '1.10::DECIMAL(5, 2)',
  'true',
  "'a'",
  "DATE '2026-05-01'",
  "TIMESTAMP '2026-05-01 12:00:00'",
  "TIMESTAMPTZ '2026-05-01 12:00:00+00'",
  '[1]',
  "{'x': 1}",
  "MAP {'k': 1}",
];
/** SQL of nulls with physical types that rows cannot have, or can have. */
const NULLS = [
  'NULL',
  ...VALUES.map(value => `CASE WHEN false THEN ${value} END`),
  'NULL::BLOB',
  'NULL::TIME',
  'NULL::UUID',
];

const listWith = (columns: readonly string[]) =>
  parquet(
    `SELECT id, ${columns.map((sql, index) => `${sql} AS c${index}`).join(', ')} FROM (VALUES ('a'), ('b')) AS t(id)`,
  );

describe('a column of nulls of Parquet', {concurrency: 2}, () => {
  test('is text in a first freeze for every physical type, and later text fits', async () => {
    await using fixture = await freezeFixture();
    const nulls = await fixture.list('nulls.parquet', await listWith(NULLS));
    const first = await fixture.freeze('things', nulls, '--as-of', '2026-05-01', '--primary-key', 'id');
    assert.equal(first.err, '');
    const {resources} = await fixture.descriptor('things', '2026-05-01');
    assert.deepEqual(
      resources[0].schema?.fields.slice(1),
      NULLS.map((_, index) => ({name: `c${index}`, type: 'string'})),
    );
    const texts = await fixture.list('texts.parquet', await listWith(NULLS.map(() => "'text'")));
    const later = await fixture.freeze('things', texts, '--as-of', '2026-05-02');
    assert.equal(later.err, '');
  });

  test('is text, so later numbers are refused with the option that infers the schema again', async () => {
    await using fixture = await freezeFixture();
    const nulls = await fixture.list('nulls.parquet', await listWith(['NULL']));
    await fixture.freeze('things', nulls, '--as-of', '2026-05-01', '--primary-key', 'id');
    const numbers = await fixture.list('numbers.parquet', await listWith(['1']));
    const args = ['things', numbers, '--as-of', '2026-05-02'];
    const later = await fixture.freeze(...args);
    assert.match(later.err, /column "c0" "INTEGER" is not of type string/);
    assert.match(later.remedies ?? '', /infer another schema with `--new-schema`/);
    assert.equal((await fixture.freeze(...args, '--new-schema')).err, '');
    const {resources} = await fixture.descriptor('things', '2026-05-02');
    assert.equal(resources[0].schema?.fields[1]?.type, 'integer');
  });

  test('fits every type, with every physical type', async () => {
    await using fixture = await freezeFixture();
    const values = await fixture.list(
      'values.parquet',
      await listWith(VALUES.map(value => `CASE WHEN id = 'a' THEN ${value} END`)),
    );
    const first = await fixture.freeze('things', values, '--as-of', '2026-05-01', '--primary-key', 'id');
    assert.equal(first.err, '');
    for (const nulls of NULLS) {
      const empty = await fixture.list('nulls.parquet', await listWith(VALUES.map(() => nulls)));
      const later = await fixture.freeze('things', empty, '--as-of', '2026-05-02', '--dry-run');
      assert.deepEqual([later.code, later.err], [0, ''], nulls);
    }
  });

  test('fits every type in a file after the first one', async () => {
    await using fixture = await freezeFixture();
    const values = await fixture.list('1.parquet', await listWith(VALUES));
    const nulls = await fixture.list(
      '2.parquet',
      await parquet(`SELECT 'c' AS id, ${VALUES.map((_, index) => `NULL::UUID AS c${index}`).join(', ')}`),
    );
    const args = ['--as-of', '2026-05-01', '--primary-key', 'id'];
    const refused = await fixture.freeze('things', nulls, values, ...args);
    assert.equal(refused.code, 1);
    assert.equal(
      refused.err.split('\n').filter(line => line.includes('has values here, but only nulls in the first file')).length,
      VALUES.length,
      refused.err,
    );
    assert.equal((await fixture.freeze('things', values, nulls, ...args)).err, '');
    const typeless = await fixture.freeze(
      'others',
      listOf('nulls'),
      await fixture.list('3.parquet', await parquet("SELECT 'c' AS id, 1 AS n")),
      ...args,
    );
    assert.match(typeless.err, /3\.parquet: column "n" "INTEGER" has values here, but only nulls in the first file/);
  });
});

// Written by pyarrow, from columns of the types struct<x: null>, list<null>, map<string, null> and list<struct<x:
// null>>.
describe('values in a nested value of Parquet that are all null', {concurrency: 2}, () => {
  const filled = "SELECT 'b' AS id, {'x': 1} AS s, ['t'] AS l, MAP {'k': true} AS m, [{'x': 0.5}] AS ls";
  const args = ['--as-of', '2026-05-01', '--primary-key', 'id'];

  test('are sold as null', async () => {
    await using fixture = await freezeFixture();
    assert.equal((await fixture.freeze('things', listOf('nulls-inside'), ...args)).err, '');
    await fixture.site.write('data/products/all.json', {
      title: 'All Nulls',
      kind: 'query',
      price: '$0.02',
      source: 'things',
      figures: 'SELECT count(*) AS rows_n FROM rows',
      rows: 'SELECT * FROM rows ORDER BY id',
      difference: 'lists all rows',
    });
    assert.equal((await fixture.site.build()).err, '');
    const document = await readJson(fixture.site.root, 'public/api/v1/allnulls');
    assert.deepEqual(document['rows'], [{id: 'a', s: {x: null}, l: [null], m: {k: null}, ls: [{x: null}]}]);
  });

  test('fit every type', async () => {
    await using fixture = await freezeFixture();
    const values = await fixture.list('values.parquet', await parquet(filled));
    assert.equal((await fixture.freeze('things', listOf('nulls-inside'), ...args)).err, '');
    assert.equal((await fixture.freeze('things', values, '--as-of', '2026-05-02')).err, '');
    assert.equal((await fixture.freeze('things', values, listOf('nulls-inside'), '--as-of', '2026-05-03')).err, '');
    const reversed = await fixture.freeze('things', listOf('nulls-inside'), values, '--as-of', '2026-05-04');
    for (const column of ['s', 'l', 'm', 'ls'])
      assert.match(
        reversed.err,
        new RegExp(`column "${column}" ".+" has values here, but only nulls in the first file`),
      );
  });
});
