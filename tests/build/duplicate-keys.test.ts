import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {CLASS_SHARE, emptySite, SAME_TIMESTAMPS} from './site-fixture.ts';

const DENY_FIELDS = [
  {name: 'seen', type: 'integer'},
  {name: 'class', type: 'string', constraints: {required: true, enum: ['dead', 'soft_fail']}},
  {name: 'url', type: 'string'},
  {name: 'note', type: 'string'},
];
const DENY_ROWS = [
  [10, 'soft_fail', 'https://b.example/', 'x'],
  [9, 'soft_fail', 'https://b.example/', 'y'],
  [9, 'soft_fail', 'https://b.example/', null],
  [9, 'soft_fail', 'https://b.example/', 'x'],
  [9, 'soft_fail', 'https://b.example/', 'x'],
  [null, 'soft_fail', 'https://b.example/', 'a'],
  [1, 'dead', 'https://a.example/', 'x'],
  [11, 'soft_fail', 'https://a.example/', 'x'],
] as const;

const VERIFIED_FIELDS = [
  {name: 'origin', type: 'string'},
  {name: 'first', type: 'string'},
  {name: 'last', type: 'string'},
  {name: 'claimed', type: 'boolean'},
];
const [MAY, JUNE] = ['2026-05-01 08:00 ET', '2026-06-01 08:00 ET'];
const VERIFIED_ROWS = [
  ['https://b.example', JUNE, JUNE, true],
  ['https://b.example', MAY, MAY, true],
  ['https://b.example', MAY, JUNE, true],
  ['https://b.example', MAY, MAY, false],
] as const;

test('a list with duplicate addresses is sold in a fixed order: by the address, then by all other columns', async () => {
  const [forth, back] = [await sold(false), await sold(true)];
  assert.deepEqual(forth, back);
  const [denied, sample, verified] = forth.map(text => JSON.parse(text) as Record<string, unknown>);
  assert.equal(denied?.['soft_fail_ratio'], 7 / 8);
  const rows = (denied['rows'] ?? []) as Record<string, unknown>[];
  assert.deepEqual(
    rows.map(({url, seen, note}) => [url, seen, note]),
    [
      ['https://a.example/', 11, 'x'],
      ['https://b.example/', 9, 'x'],
      ['https://b.example/', 9, 'x'],
      ['https://b.example/', 9, 'y'],
      ['https://b.example/', 9, null],
      ['https://b.example/', 10, 'x'],
      ['https://b.example/', null, 'a'],
    ],
  );
  assert.deepEqual(sample?.['examples'], rows.slice(0, 3));
  const origins = (verified?.['rows'] ?? []) as Record<string, unknown>[];
  assert.deepEqual(
    origins.map(({first, claimed}) => [first, claimed]),
    [
      [MAY, false],
      [MAY, true],
      [JUNE, true],
    ],
  );
});

test('rows are sorted by a column of the list that has a value in every row', async () => {
  for (const [key, rows, fault] of [
    [
      'uri',
      DENY_ROWS,
      'data/products/a.json:11: key "uri" is not a column of data/sources/deny/2026-05-01/datapackage.json',
    ],
    ['url', [[1, 'dead', null, 'x']], 'data/sources/deny/2026-05-01/list.ndjson:1: url is missing'],
  ] as const) {
    await using site = await emptySite();
    await site.write('data/products/a.json', {...CLASS_SHARE, source: 'deny', key});
    await site.freeze(freezeOf('deny', DENY_FIELDS, rows));
    const {code, err} = await site.build();
    assert.equal(code, 1);
    assert.ok(err.includes(fault), err);
  }
});

/** Returns the documents over both lists, read forwards or backwards. */
async function sold(backwards: boolean): Promise<string[]> {
  await using site = await emptySite();
  await site.write('data/products/a.json', {...CLASS_SHARE, source: 'deny', key: 'url'});
  await site.write('data/products/b.json', {...SAME_TIMESTAMPS, source: 'verified', key: 'origin'});
  const turned = <Row>(rows: readonly Row[]) => (backwards ? rows.toReversed() : rows);
  await site.freeze(freezeOf('deny', DENY_FIELDS, turned(DENY_ROWS)));
  await site.freeze(freezeOf('verified', VERIFIED_FIELDS, turned(VERIFIED_ROWS)));
  assert.equal((await site.build()).err, '');
  const paths = ['softfail3', 'samples/softfail3.json', 'firstlastsame'];
  return await Promise.all(paths.map(path => readFile(join(site.root, 'public/api/v1', path), 'utf8')));
}

function freezeOf(source: string, fields: readonly {name: string}[], rows: readonly (readonly unknown[])[]) {
  const lines = rows.map(row => JSON.stringify(Object.fromEntries(fields.map(({name}, index) => [name, row[index]]))));
  return {source, files: {'list.ndjson': `${lines.join('\n')}\n`}, format: 'ndjson', schema: {fields}};
}
