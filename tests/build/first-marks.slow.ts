import assert from 'node:assert/strict';
import {test} from 'node:test';
import {freezeFixture} from '../scripts/freeze-fixture.ts';
import {parquet} from './bad-input/write-parquet.ts';
import {CLASS_SHARE, emptySite} from './site-fixture.ts';
import {readJson} from './tree.ts';

// U+FEFF is a byte order mark at the beginning of a file, and a character like any other everywhere else.

const MARK = '\ufeff';
const NAME = 'url';
const ROWS = [
  {[NAME]: `${MARK}a`, class: 'dead'},
  {[NAME]: `${MARK}${'b'.repeat(40)}`, class: 'soft_fail'},
];
const SCHEMA = {
  fields: [
    {name: NAME, type: 'string'},
    {name: 'class', type: 'string', constraints: {required: true}},
  ],
};
const lines = ROWS.map(row => `${row[NAME]},${row.class}\n`).join('');

const lists: Readonly<Record<string, string | Uint8Array>> = {
  'marked.csv': `${MARK}${NAME},class\n${lines}`,
  'marked-and-quoted.csv': `${MARK}"${NAME}",class\n${lines}`,
  'quoted.csv': `"${NAME}",class\n${lines}`,
  'list.ndjson': ROWS.map(row => `${JSON.stringify(row)}\n`).join(''),
  'list.json': JSON.stringify(ROWS),
  'list.parquet': await parquet(
    `SELECT * FROM (VALUES ${ROWS.map(row => `('${row[NAME]}', '${row.class}')`).join()}) AS t("${NAME}", class)`,
  ),
};
const QUERY = {
  ...CLASS_SHARE,
  title: 'Query',
  kind: 'query',
  class: undefined,
  source: 'list',
  siblings: [],
  figures: `SELECT min("${NAME}") AS first, [chr(65279) || 'x'] AS list, {'k': chr(65279) || 'v'} AS struct FROM rows`,
  rows: `SELECT "${NAME}", class FROM rows ORDER BY class`,
};

for (const [file, content] of Object.entries(lists)) {
  test(`${file}: values that begin with U+FEFF are frozen, sold and counted with it`, async () => {
    await using fixture = await freezeFixture();
    const {site} = fixture;
    const list = await fixture.list(file, content);
    const frozen = await fixture.freeze('list', list, '--as-of', '2026-05-01');
    assert.equal(frozen.err, '');
    const {resources} = await fixture.descriptor('list', '2026-05-01');
    assert.deepEqual(
      resources[0].schema?.fields.map(({name}) => name),
      SCHEMA.fields.map(({name}) => name),
    );
    await site.write('data/products/query.json', QUERY);
    assert.equal((await site.build()).err, '');
    const paid = await readJson(site.root, 'public/api/v1/query');
    assert.deepEqual(paid['rows'], ROWS);
    assert.equal(paid['first'], ROWS[0]?.[NAME]);
    assert.deepEqual(paid['list'], [`${MARK}x`]);
    assert.deepEqual(paid['struct'], {k: `${MARK}v`});
  });
}

test('a message shows the whole value', async () => {
  await using site = await emptySite();
  const fields = [{name: NAME, type: 'string', constraints: {pattern: 'x'}}];
  await site.write('data/products/query.json', QUERY);
  await site.freeze({source: 'list', files: {'list.csv': `"${NAME}"\n${MARK}y\n`}, schema: {fields}});
  assert.match((await site.build()).err, /list\.csv:2: url "\\ufeffy" does not match x/);
});
