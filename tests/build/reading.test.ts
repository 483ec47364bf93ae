import assert from 'node:assert/strict';
import {test} from 'node:test';
import {gzipSync} from 'node:zlib';
import {readFreezes} from '../../build/read/freezes.ts';
import {openDatabase} from '../../build/rows/database.ts';
import {scan} from '../../build/rows/scan.ts';
import {Table} from '../../build/rows/table.ts';
import {parquet} from './bad-input/write-parquet.ts';
import {CLASS_SHARE, DENY_CSV, DENY_SCHEMA, emptySite} from './site-fixture.ts';
import {readJson} from './tree.ts';

// Longer than the chunk of a thread, so several threads begin in the middle of the list.
const LENGTH = 9_000_000;
const SCHEMA = {...DENY_SCHEMA, fields: [...DENY_SCHEMA.fields, {name: 'note', type: 'string'}]};

interface Row {
  readonly url: string;
  readonly class: string;
  readonly note: string;
}

/** Rows of about `length` characters, every third a soft fail. `note` returns the note of a row from its number. */
function rowsOf(length: number, note: (row: number) => string): Row[] {
  const rows: Row[] = [];
  for (let bytes = 0; bytes < length; bytes += (rows.at(-1)?.note.length ?? 0) + 40) {
    const n = rows.length;
    rows.push({
      url: `https://host-${String(n).padStart(7, '0')}.example/`,
      class: n % 3 === 0 ? 'soft_fail' : 'dead',
      note: note(n),
    });
  }
  return rows;
}

function csvOf(rows: readonly Row[], cell: (text: string) => string, newline = '\n'): string {
  return ['url,class,note', ...rows.map(row => [row.url, row.class, cell(row.note)].join(','))].join(newline) + newline;
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
/** Paragraphs with lines that look like rows. */
const prose = (row: number) =>
  Array.from({length: (row * 7) % 5}, (_, line) => `It said "no", then\n\nhttps://x.example/,dead,${line} "`).join(
    '\n',
  );
const rows = rowsOf(LENGTH, prose);
const plain = rowsOf(LENGTH, row => 'x'.repeat((row * 13) % 300));

const good: readonly [name: string, rows: readonly Row[], files: Record<string, string | Uint8Array>][] = [
  ['paragraphs in quotation marks', rows, {'list.csv': csvOf(rows, quoted)}],
  ['paragraphs in quotation marks, packed', rows, {'list.csv.gz': gzipSync(csvOf(rows, quoted), {level: 1})}],
  ['no quotation mark', plain, {'list.csv': csvOf(plain, text => text)}],
  [
    'lines that end as on Windows, some blank',
    plain,
    {'list.csv': csvOf(plain, text => text, '\r\n').replaceAll('xxx\r\n', 'xxx\r\n\r\n')},
  ],
];

test('every row of a long list of CSV is read unchanged', async t => {
  for (const [name, expected, files] of good) {
    await t.test(name, async () => {
      await using site = await emptySite();
      await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, max_rows: 50_000});
      await site.freeze({source: 'deny-list', files, schema: SCHEMA});
      assert.equal((await site.build()).err, '');
      const paid = await readJson(site.root, 'public/api/v1/softfail3');
      assert.equal(paid['rows_n'], expected.length);
      const matching = expected.filter(row => row.class === 'soft_fail');
      assert.deepEqual(
        paid['rows'],
        matching.map(row => ({...row, note: row.note || null})),
      );
    });
  }
});

test('a quotation mark that is not closed in a long list is found', async () => {
  await using site = await emptySite();
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  const text = `${csvOf(rows, quoted)}https://last.example/,dead,"and so on\n`;
  await site.freeze({source: 'deny-list', files: {'list.csv': text}, schema: SCHEMA});
  const {code, err} = await site.build();
  assert.equal(code, 1);
  assert.match(err, /^data\/sources\/deny-list\/2026-05-01\/list\.csv:.*quotation mark/m);
});

/** More keys than are read at a time. */
const MANY = 1 << 16;

test('duplicate keys among very many rows are reported with other errors', async () => {
  await using site = await emptySite();
  const note = {name: 'note', type: 'string', constraints: {unique: true}};
  const fields = [...DENY_SCHEMA.fields, note];
  const many = Array.from({length: MANY}, (_, row) => `https://host-${row}.example/,dead,${row || ''}`);
  const list = ['url,class,note', ...many, 'https://host-7.example/,dead,', 'https://other.example/,dead,9', ''];
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  await site.freeze({source: 'deny-list', files: {'list.csv': list.join('\n')}, schema: {...DENY_SCHEMA, fields}});
  await site.write('data/products/other.json', {...CLASS_SHARE, title: 'Other', source: 'other', siblings: []});
  await site.freeze({
    source: 'other',
    files: {'list.csv': `${DENY_CSV}https://x.example/,daed\n`},
    schema: DENY_SCHEMA,
  });
  const {code, out, err} = await site.build();
  assert.deepEqual({code, out}, {code: 1, out: ''});
  assert.deepEqual(err.trimEnd().split('\n').toSorted(), [
    `data/sources/deny-list/2026-05-01/list.csv:${MANY + 2}: url "https://host-7.example/" occurs twice: first in line 9`,
    `data/sources/deny-list/2026-05-01/list.csv:${MANY + 3}: note "9" occurs twice: first in line 11`,
    'data/sources/other/2026-05-01/list.csv:6: class "daed" is not one of fraud, dead, unable_verify, soft_fail',
  ]);
});

test('a long list that has another valid reading from its middle is read from its beginning', async () => {
  const copies = 1 << 20;
  await using site = await emptySite();
  const fields = ['a', 'b', 'c'].map(name => ({name, type: 'string'}));
  const text = `a,b,c\nx,y,z\n${'",",",","\n"\n'.repeat(copies)}`;
  await site.freeze({source: 'list', files: {'list.csv': text}, schema: {fields}});
  const [freeze] = await readFreezes(site.root, 'list');
  assert.ok(freeze);
  const table = new Table(freeze);
  const whole = table.count("t0 = ',' AND t1 = ',' AND t2 = chr(10)");
  const database = await openDatabase(site.root);
  try {
    const asked = {measures: [whole], rules: [], answer: () => assert.fail('is not needed')};
    const read = await scan(database, table, [asked]);
    assert.equal(read(whole), copies);
  } finally {
    database.close();
  }
});

test('a folder with a name like `column=value` is only a folder', async t => {
  const query =
    "SELECT * FROM (VALUES ('https://a.example/', 'dead'), ('https://b.example/', 'soft_fail')) AS t(url, class)";
  const named: readonly [format: string, file: string, bytes: string | Uint8Array][] = [
    ['csv', 'c1=soft_fail/list.csv', DENY_CSV],
    ['parquet', 'class=soft_fail/list.parquet', await parquet(query)],
    ['ndjson', 'members=1/list.ndjson', '{"url":"https://a.example/","class":"dead"}\n'],
  ];
  for (const [format, file, bytes] of named) {
    await t.test(format, async () => {
      await using site = await emptySite();
      await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
      await site.freeze({source: 'deny-list', files: {[file]: bytes}, format, schema: DENY_SCHEMA});
      assert.equal((await site.build()).err, '');
      const {counts} = (await readJson(site.root, 'public/api/v1/samples/softfail3.json')) as {counts: {dead: number}};
      assert.equal(counts.dead, 1);
    });
  }
});

test('a column may have the name of a member of all objects', async () => {
  await using site = await emptySite();
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  const names = ['constructor', 'toString', 'valueOf'];
  const fields = [...DENY_SCHEMA.fields, ...names.map(name => ({name, type: 'string'}))];
  const text = `url,class,${names.join(',')}\nhttps://a.example/,soft_fail,a,,c\n`;
  await site.freeze({source: 'deny-list', files: {'list.csv': text}, schema: {...DENY_SCHEMA, fields}});
  assert.equal((await site.build()).err, '');
  const {rows: sold} = await readJson(site.root, 'public/api/v1/softfail3');
  assert.deepEqual(sold, [
    {url: 'https://a.example/', class: 'soft_fail', constructor: 'a', toString: null, valueOf: 'c'},
  ]);
});
