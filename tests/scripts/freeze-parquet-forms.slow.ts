import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {parquet} from '../build/bad-input/write-parquet.ts';
import {CLASS_SHARE} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';
import {freezeFixture, type FreezeFixture} from './freeze-fixture.ts';

/** The columns of a value: the value itself, and every kind of nested value with it. */
const FORMS = {
  column: (value: string) => value,
  struct: (value: string) => `{'x': ${value}}`,
  list: (value: string) => `[${value}, NULL]`,
  map: (value: string) => `MAP {'k': ${value}}`,
  structs: (value: string) => `[{'x': ${value}}]`,
  lists: (value: string) => `MAP {'k': [${value}]}`,
  keys: (value: string) => `MAP {${value}: 'v'}`,
};

/** SQL of values, and the sold JSON of each, both in a column and in a nested value. */
const SOLD: Readonly<Record<string, string | number | boolean>> = {
  "'-128'::TINYINT": -128,
  '255::UTINYINT': 255,
  "'-32768'::SMALLINT": -32768,
  '65535::USMALLINT': 65535,
  "'-2147483648'::INTEGER": -2147483648,
  '4294967295::UINTEGER': 4294967295,
  "'-9007199254740991'::BIGINT": -9007199254740991,
  '9007199254740991::UBIGINT': 9007199254740991,
  '0.1::FLOAT': 0.1,
  "'-56034032'::FLOAT": -56034032,
  '2097152.25::FLOAT': 2097152.25,
  '1e20::FLOAT': 1e20,
  '3.4028235e38::FLOAT': 3.4028235e38,
  '1.4e-45::FLOAT': 1e-45,
  '0.1::DOUBLE': 0.1,
  '1e21::DOUBLE': 1e21,
  '5e-324::DOUBLE': 5e-324,
  '123456789012345680::DOUBLE': 123456789012345680,
  "'-999.99'::DECIMAL(5, 2)": -999.99,
  "'-0.15'::DECIMAL(2, 2)": -0.15,
  '1234567890.12345::DECIMAL(38, 5)': 1234567890.12345,
  true: true,
  false: false,
  "'\ufeffa\"\\\n\u2028😀'": '\ufeffa"\\\n\u2028😀',
  "'a'::ENUM ('a', 'b')": 'a',
  "DATE '0001-01-01'": '0001-01-01',
  "DATE '2026-02-28'": '2026-02-28',
  "TIMESTAMP '2026-05-01 12:00:00'": '2026-05-01T12:00:00',
  "TIMESTAMP '1960-01-01 00:00:00.000001'": '1960-01-01T00:00:00.000001',
  "'2026-05-01 12:00:00'::TIMESTAMP_S": '2026-05-01T12:00:00',
  "'2026-05-01 12:00:00.120'::TIMESTAMP_MS": '2026-05-01T12:00:00.12',
  "'1969-12-31 23:59:59.999999999'::TIMESTAMP_NS": '1969-12-31T23:59:59.999999999',
  "TIMESTAMPTZ '2026-05-01 12:00:00.5+02'": '2026-05-01T10:00:00.5Z',
  "TIMESTAMPTZ '1960-01-01 00:00:00.000001+00'": '1960-01-01T00:00:00.000001Z',
};

/** Types that rows cannot have, and SQL of a value. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  BLOB: "'a'::BLOB",
  UUID: "'00000000-0000-0000-0000-000000000001'::UUID",
  TIME: "TIME '12:00:00'",
  'TIME WITH TIME ZONE': "TIMETZ '12:00:00+02'",
  INTERVAL: "INTERVAL '1' DAY",
  JSON: `'{"a": 1}'::JSON`,
};

/** SQL of values that documents cannot have. */
const OTHER_VALUES = [
  "'9007199254740993'::BIGINT",
  "'18446744073709551615'::UBIGINT",
  "'nan'::DOUBLE",
  "'-inf'::FLOAT",
  "DATE 'infinity'",
  "TIMESTAMP 'infinity'",
  "TIMESTAMPTZ '-infinity'",
  "TIMESTAMP '10000-01-01 00:00:00'",
  "TIMESTAMPTZ '10000-01-01 00:00:00+00'",
  "DATE '0044-03-15 (BC)'",
];

const columnsOf = (value: string, suffix = '') =>
  Object.entries(FORMS).map(([form, sql]) => `${sql(value)} AS "${form}${suffix}"`);

async function freeze(fixture: FreezeFixture, columns: readonly string[]) {
  const bytes = await parquet(`SELECT 'a' AS id, true AS flag, ${columns.join(', ')}`);
  return fixture.freeze(
    'things',
    await fixture.list('things.parquet', bytes),
    '--as-of',
    '2026-05-01',
    '--primary-key',
    'id',
  );
}

test('a nested value of Parquet is sold in the same form as the value of a column', async () => {
  await using fixture = await freezeFixture();
  const {err} = await freeze(
    fixture,
    Object.keys(SOLD).flatMap((value, index) => columnsOf(value, `_${index}`)),
  );
  assert.equal(err, '');
  await fixture.site.write('data/products/all.json', {
    ...CLASS_SHARE,
    title: 'All Forms',
    source: 'things',
    column: 'flag',
    class: true,
    key: 'id',
  });
  assert.equal((await fixture.site.build()).err, '');
  const document = await readJson(fixture.site.root, 'public/api/v1/allforms');
  const [row = {}] = document['rows'] as Record<string, unknown>[];
  for (const [index, [sql, value]] of Object.entries(SOLD).entries()) {
    const sold = Object.keys(FORMS).map(form => [form, row[`${form}_${index}`]]);
    const keys = sql.includes('DECIMAL(38') ? '1234567890.12345' : String(value);
    assert.deepEqual(
      Object.fromEntries(sold),
      {
        column: value,
        struct: {x: value},
        list: [value, null],
        map: {k: value},
        structs: [{x: value}],
        lists: {k: [value]},
        keys: {[keys]: 'v'},
      },
      sql,
    );
  }
});

describe(
  'a type of Parquet that rows cannot have is refused in a column and in nested values',
  {concurrency: 2},
  () => {
    for (const [type, value] of Object.entries(OTHER_TYPES))
      test(type, async () => {
        await using fixture = await freezeFixture();
        const {code, err} = await freeze(fixture, columnsOf(value));
        assert.equal(code, 1);
        const lines = err.trimEnd().split('\n');
        assert.equal(lines.length, Object.keys(FORMS).length, err);
        for (const [index, form] of Object.keys(FORMS).entries()) {
          const says =
            form === 'column'
              ? `column "column" "${type}" is not a type that rows can have: text, whole`
              : `column "${form}" has values of type ${type}, which is not a type that rows can have: text, whole`;
          assert.ok(lines[index]?.includes(`things.parquet: ${says}`), lines[index]);
        }
      });
  },
);

describe(
  'a value of Parquet that documents cannot have is refused in a column and in nested values',
  {concurrency: 2},
  () => {
    for (const value of OTHER_VALUES)
      test(value, async () => {
        await using fixture = await freezeFixture();
        const {code, err} = await freeze(fixture, columnsOf(value).slice(0, -1));
        assert.equal(code, 1);
        const lines = err.trimEnd().split('\n');
        assert.deepEqual(
          lines.map(line => /things\.parquet: row 1 (\w+) "/.exec(line)?.[1]),
          Object.keys(FORMS).slice(0, -1),
        );
      });
  },
);
