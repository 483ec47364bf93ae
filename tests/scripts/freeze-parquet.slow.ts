import assert from 'node:assert/strict';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {CLASS_SHARE} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';
import {PROJECT} from '../project.ts';
import {freezeFixture} from './freeze-fixture.ts';

const listOf = (name: string) => join(PROJECT, 'tests/lists/parquet', `${name}.parquet`);

const REFUSED: Readonly<Record<string, RegExp>> = {
  twins: /columns cannot be read: "class" and "Class" have names that differ in nothing but case: rename one of them/,
  'twins-inside': /column "l" holds members that cannot be read: "v" and "V" have names that differ/,
  'twins-in-map': /column "m" holds members that cannot be read: "v" and "V" have names that differ/,
  'no-name': /columns cannot be read: one has an empty name: name every one/,
  'no-name-inside': /column "s" holds members that cannot be read: one has an empty name: name every one/,
  'decimal-39': /column "d" is a decimal of 39 digits, and at most 38 can be read: save it as text/,
  'decimal-39-inside': /column "l" is a decimal of 39 digits/,
  int96: /column "t" is a timestamp of type INT96, whose nanoseconds would be lost/,
  'nanoseconds-utc': /column "t" is a timestamp with a time zone in nanoseconds/,
  'bytes-inside': /column "l" holds values that are not of a type that rows can have/,
};

describe('Parquet is refused if its values cannot be read exactly', {concurrency: 2}, () => {
  for (const [name, says] of Object.entries(REFUSED))
    test(name, async () => {
      await using fixture = await freezeFixture();
      const {code, err} = await fixture.freeze('things', listOf(name), '--as-of', '2026-05-01', '--key', 'id');
      assert.match(err, says);
      assert.equal(code, 1);
    });
});

test('a nested value of Parquet has the form that it has as a column', async () => {
  await using fixture = await freezeFixture();
  const {code, err} = await fixture.freeze('things', listOf('forms'), '--as-of', '2026-05-01', '--key', 'id');
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

describe('a column of nulls of Parquet', {concurrency: 2}, () => {
  test('keeps the type of an earlier freeze', async () => {
    await using fixture = await freezeFixture();
    const first = await fixture.freeze('things', listOf('nulls-before'), '--as-of', '2026-05-01', '--key', 'id');
    assert.equal(first.err, '');
    const later = await fixture.freeze('things', listOf('nulls'), '--as-of', '2026-05-02');
    assert.equal(later.err, '');
    assert.equal(later.code, 0);
  });

  test('is text in a first freeze, which later text fits', async () => {
    await using fixture = await freezeFixture();
    const first = await fixture.freeze('things', listOf('nulls'), '--as-of', '2026-05-01', '--key', 'id');
    assert.equal(first.err, '');
    const {resources} = await fixture.descriptor('things', '2026-05-01');
    assert.equal(resources[0].schema?.fields[1]?.type, 'string');
    const later = await fixture.freeze('things', listOf('nulls-before'), '--as-of', '2026-05-02');
    assert.equal(later.err, '');
  });
});
