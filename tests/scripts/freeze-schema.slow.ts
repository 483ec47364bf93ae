import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {DuckDBInstance} from '@duckdb/node-api';
import {PROJECT} from '../project.ts';
import {freezeFixture, type Column} from './freeze-fixture.ts';

const DENY = 'url,class\nhttps://a.example/,dead\nhttps://b.example/,fraud\n';

/** Freezes a list of a new source. Returns the fields of its schema by name, and its key. */
async function inferred(name: string, content: string | Uint8Array, ...args: string[]) {
  await using fixture = await freezeFixture();
  const {err} = await fixture.freeze('things', await fixture.list(name, content), '--as-of', '2026-05-01', ...args);
  assert.equal(err, '');
  const {schema} = (await fixture.descriptor('things', '2026-05-01')).resources[0];
  const fields = new Map<string, Column>(schema?.fields.map(field => [field.name, field]));
  return {fields, key: schema?.primaryKey};
}

/** Makes twelve rows of one column from the given values, repeated. `n` is a key. */
function column(...values: string[]): string {
  const rows = Array.from({length: 12}, (_, index) => `k${index},${values[index % values.length] ?? ''}\n`);
  return `id,x\n${rows.join('')}`;
}

describe('the schema of a first freeze is inferred', {concurrency: 2}, () => {
  type Case = readonly [string, readonly string[], object];
  const cases: readonly Case[] = [
    ['whole numbers', ['1', '-20', '0'], {type: 'integer', constraints: {required: true}}],
    ['numbers', ['1', '2.50', '-3e4'], {type: 'number', constraints: {required: true}}],
    ...[
      ['one number with a leading zero', ['94103', '10001', '60601', '02134']],
      ['one number with a plus sign', ['5', '6', '7', '+8']],
      ['one number without a digit before its point', ['1.5', '2.5', '3.5', '.5']],
      ['one negative zero', ['5', '6', '7', '-0']],
      ['one identifier like 12E4', ['12E4', '7', '8', '99']],
      ['one identifier like 7351e8', ['7351e8', '7', '8', '99']],
    ].map(([name, texts]): Case => [
      `${String(name)}, as text`,
      texts as string[],
      {type: 'string', constraints: {required: true}},
    ]),
    ['prices of two digits', ['1.50', '2.00', '2.50', '10.00'], {type: 'number', constraints: {required: true}}],
    ...[
      ['versions', ['1.9', '1.10', '1.1', '2.0']],
      ['a whole number and one with a point', ['1', '1.0', '2', '3']],
      ['an exponent and its digits', ['1.5e3', '1500', '2', '3']],
      ['long decimals', ['12345678901234567.10', '12345678901234567.1', '2', '3']],
    ].map(([name, texts]): Case => [
      `${String(name)} that write one number twice, as text`,
      texts as string[],
      {type: 'string', constraints: {required: true}},
    ]),
    ['numbers with zeros in front, as text', ['01', '02', '03', '14'], {type: 'string', constraints: {required: true}}],
    [
      'numbers past 2^53, as text',
      ['9007199254740993', '1', '2', '3'],
      {type: 'string', constraints: {required: true}},
    ],
    [
      'numbers past 2^53 that a double represents, as text',
      ['1000000000000000000', '25000000000000000000000', '2', '-170141183460469231731687303715884105728'],
      {type: 'string', constraints: {required: true}},
    ],
    [
      'numbers past 2^53 that a double represents, next to decimals',
      ['1000000000000000000', '1.5', '2', '3'],
      {type: 'number', constraints: {required: true}},
    ],
    [
      'decimals that no double holds, as exact ones',
      ['1234567890.12345678901234', '1.5', '2', '3'],
      {type: 'number', scale: 14, constraints: {required: true}},
    ],
    [
      'long numbers with a point behind them, as exact decimals',
      ['9007199254740993.0', '1.5', '2', '3'],
      {type: 'number', scale: 1, constraints: {required: true}},
    ],
    [
      'decimals that no double can represent together with an exponent, as text',
      ['0.12345678901234567890', '1e3', '2', '3'],
      {type: 'string', constraints: {required: true}},
    ],
    [
      'decimals of more digits than any that are exact, as text',
      ['0.1234567890123456789012345678901234567890', '1', '2', '3'],
      {type: 'string', constraints: {required: true}},
    ],
    [
      'decimals as doubles are printed',
      ['0.30000000000000004', '-1.7976931348623157e308', '0.00000000000000000012', '100000.5'],
      {type: 'number', constraints: {required: true}},
    ],
    ['booleans', ['true', 'false'], {type: 'boolean', constraints: {required: true}}],
    ['zeros and ones, as whole numbers', ['0', '1'], {type: 'integer', constraints: {required: true}}],
    ['days', ['2026-02-28', '2024-02-29'], {type: 'date', constraints: {required: true}}],
    ['days that do not exist, as text', ['2026-02-30', 'a', 'b', 'c'], {type: 'string', constraints: {required: true}}],
    [
      'moments',
      ['2026-02-28T10:00:00Z', '2026-02-28T10:00:00.123Z'],
      {type: 'datetime', constraints: {required: true}},
    ],
    ['values that are missing', ['1', ''], {type: 'integer'}],
    ['only missing values', [''], {type: 'string'}],
    ['few values', ['b', 'a', 'b c'], {type: 'string', constraints: {required: true, enum: ['a', 'b', 'b c']}}],
    ['many values', ['a', 'b', 'c', 'd'], {type: 'string', constraints: {required: true}}],
    [
      'web addresses',
      ['https://a.example', 'http://b.example/?q=1'],
      {type: 'string', constraints: {required: true, pattern: 'https?://\\S+'}},
    ],
    [
      'timestamps of a zone',
      ['2026-04-28 09:12 ET', '2026-04-30 16:40 ET'],
      {type: 'string', constraints: {required: true, pattern: '\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2} ET'}},
    ],
    [
      'timestamps with seconds',
      ['2026-04-28 09:12:01', '2026-04-30 16:40:59'],
      {type: 'string', constraints: {required: true, pattern: '\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}'}},
    ],
  ];
  for (const [name, values, expected] of cases) {
    test(name, async () => {
      const {fields, key} = await inferred('things.csv', column(...values));
      // Four values in twelve rows are too many for an enum; three are not.
      if (values.length > 3) assert.equal(fields.get('x')?.constraints?.enum, undefined);
      assert.deepEqual(fields.get('x'), {name: 'x', ...expected});
      assert.deepEqual(key, ['id']);
    });
  }

  test('from the kinds of JSON values', async () => {
    const rows = [
      {id: 'a', text: '1', whole: 1, number: 1.5, flag: true, day: '2026-05-01'},
      {id: 'b', text: '2', whole: -2, number: 2, flag: false, extra: 'x'},
    ];
    const {fields} = await inferred('things.ndjson', rows.map(row => JSON.stringify(row)).join('\n'));
    const types = Object.fromEntries([...fields].map(([name, {type}]) => [name, type]));
    assert.deepEqual(types, {
      id: 'string',
      text: 'string',
      whole: 'integer',
      number: 'number',
      flag: 'boolean',
      day: 'date',
      extra: 'string',
    });
    assert.equal(fields.get('extra')?.constraints, undefined);
  });

  test('from the types of Parquet columns', async () => {
    await using fixture = await freezeFixture();
    const path = join(fixture.lists, 'things.parquet');
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(`COPY (SELECT 'a' AS id, 1 AS whole, 1.5::DOUBLE AS number, true AS flag, DATE '2026-05-01' AS day,
      TIMESTAMP '2026-05-01 12:00:00' AS local, TIMESTAMPTZ '2026-05-01 12:00:00.5+00' AS moment) TO '${path}'`);
    connection.closeSync();
    instance.closeSync();
    const {code, err, out} = await fixture.freeze('things', path, '--as-of', '2026-05-01', '--json');
    assert.equal(code, 0, err);
    const {first_rows, schema} = JSON.parse(out) as {first_rows: string[][]; schema: {fields: Column[]}};
    assert.deepEqual(
      schema.fields.map(({type}) => type),
      ['string', 'integer', 'number', 'boolean', 'date', 'datetime', 'datetime'],
    );
    assert.deepEqual(first_rows[0]?.slice(-2), ['2026-05-01T12:00:00', '2026-05-01T12:00:00.5Z']);
  });
});

describe('the primary key', {concurrency: 2}, () => {
  test('is the column with a typical name of a key, at any position', async () => {
    const rows = Array.from({length: 40}, (_, n) => `t${n},https://h${n}.example/\n`).join('');
    assert.deepEqual((await inferred('things.csv', `title,url\n${rows}`)).key, ['url']);
  });

  test('is otherwise the first text column without repeated values', async () => {
    const rows = Array.from({length: 40}, (_, n) => `${n},${n % 39},t${n},u${n}\n`).join('');
    assert.deepEqual((await inferred('things.csv', `n,twice,title,other\n${rows}`)).key, ['title']);
  });

  const rowsOf = (count: number, row: (n: number) => string) => Array.from({length: count}, (_, n) => row(n)).join('');
  const lists: readonly (readonly [name: string, file: string, list: string, key: string])[] = [
    [
      'ends like an identifier, before names and addresses',
      'licenses.csv',
      `reference,name,licenseId,isOsiApproved\n${rowsOf(12, n => `https://l.example/${n},Licence ${n},L-${n},${n % 2 === 0}\n`)}`,
      'licenseId',
    ],
    [
      'is called like the source',
      'things.ndjson',
      rowsOf(3, n => `{"note": "n${n}", "thing": "t${n}", "name": "x${n}"}\n`),
      'thing',
    ],
    [
      'is called domain, in a short list',
      'tlds.json',
      '[{"note": "a", "domain": "com"}, {"note": "b", "domain": "org"}]',
      'domain',
    ],
    ['is a number called id, before a name', 'a.csv', 'id,name\n1,a\n2,b\n', 'id'],
    ['is a number called id, if no text column has a typical name', 'a.csv', 'id,note\n1,a\n2,b\n', 'id'],
    [
      'is a short text, before a long one',
      'a.csv',
      `about,title\n${rowsOf(20, n => `${'x'.repeat(80)}${n},t${n}\n`)}`,
      'title',
    ],
  ];
  for (const [name, file, list, key] of lists)
    test(name, async () => {
      assert.deepEqual((await inferred(file, list)).key, [key]);
    });

  for (const [name, list, says] of [
    ['two values of one column', 'ok,n\nyes,1\nno,1\n', 'though these have no repeated values: ok'],
    ['no column without repeated values', 'name,n\na,1\na,2\n', 'and no text column without repeated values'],
  ] as const)
    test(`must be named, or excluded with --no-primary-key, if there is ${name}`, async () => {
      await using fixture = await freezeFixture();
      const path = await fixture.list('things.csv', list);
      const {code, err} = await fixture.freeze('things', path);
      assert.equal(code, 1);
      assert.equal(err, `${path} has no column that is certainly its key, ${says}\n`);
      const none = await fixture.freeze('things', path, '--no-primary-key');
      assert.equal(none.code, 0, none.err);
      assert.match(none.out, /do not have a primary key: every product over them, except queries, needs a "key"\.$/m);
    });

  test('can be named, also with several columns, and must then be unique', async () => {
    const rows = 'a,x,1\na,y,2\nb,x,3\n';
    const two = await inferred('things.csv', `name,kind,n\n${rows}`, '--primary-key', 'name', '--primary-key', 'kind');
    assert.deepEqual(two.key, ['name', 'kind']);
    await using fixture = await freezeFixture();
    const path = await fixture.list('things.csv', `name,kind,n\n${rows}`);
    const {code, err} = await fixture.freeze('things', path, '--primary-key', 'name');
    assert.equal(code, 1);
    assert.equal(err, `${path}:3: name "a" occurs twice: first in line 2\n`);
  });
});

describe('a later freeze', {concurrency: 2}, () => {
  test('keeps the schema, title and licence of the last one', async () => {
    await using fixture = await freezeFixture();
    const path = await fixture.list('deny.csv', DENY);
    const words = ['--title', 'Deny list', '--license', 'CC0-1.0', '--description', 'Nothing real.'];
    await fixture.freeze('deny-list', path, '--as-of', '2026-05-01', ...words);
    const first = await fixture.descriptor('deny-list', '2026-05-01');
    const more = await fixture.list('deny.csv', `${DENY}https://c.example/,dead\n`);
    const {out} = await fixture.freeze('deny-list', more, '--as-of', '2026-06-01');
    assert.match(out, /schema of 2026-05-01/);
    const second = await fixture.descriptor('deny-list', '2026-06-01');
    assert.deepEqual(second.resources[0].schema, first.resources[0].schema);
    assert.deepEqual(
      [second.title, second.licenses],
      ['Deny list', [{path: 'https://spdx.org/licenses/CC0-1.0.html', name: 'CC0-1.0'}]],
    );
    assert.equal(second.resources[0].rows, 3);
    await fixture.freeze('deny-list', more, '--as-of', '2026-07-01', '--license', 'CC BY 4.0');
    const {licenses} = await fixture.descriptor('deny-list', '2026-07-01');
    assert.deepEqual(licenses, [{name: 'CC-BY-4.0', title: 'CC BY 4.0'}]);
  });

  test('is refused with the rows that violate the schema, unless --new-schema infers another', async () => {
    await using fixture = await freezeFixture();
    await fixture.freeze('deny-list', await fixture.list('deny.csv', DENY), '--as-of', '2026-05-01');
    const path = await fixture.list('new.csv', `${DENY}https://a.example/,dead\nftp://c.example/,"sof\nt"\n,dead\n`);
    const refused = await fixture.freeze('deny-list', path, '--as-of', '2026-06-01');
    assert.equal(refused.code, 1);
    assert.deepEqual(refused.err.trimEnd().split('\n'), [
      'data/sources/deny-list/2026-05-01/datapackage.json has the schema that this list must follow',
      `${path}:4: url "https://a.example/" occurs twice: first in line 2`,
      `${path}:5: url "ftp://c.example/" does not match https?://\\S+`,
      `${path}:5: class "sof\\nt" is not one of dead, fraud`,
      `${path}:7: url is missing`,
    ]);
    const extra = await fixture.list('extra.csv', 'url,class,since\nhttps://a.example/,dead,2026-01-01\n');
    const columns = await fixture.freeze('deny-list', extra, '--as-of', '2026-06-01');
    assert.equal(columns.code, 1);
    assert.match(columns.err, /extra\.csv:1: column "since" is new$/m);
    const {code} = await fixture.freeze('deny-list', extra, '--as-of', '2026-06-01', '--new-schema');
    assert.equal(code, 0);
    const {schema} = (await fixture.descriptor('deny-list', '2026-06-01')).resources[0];
    assert.deepEqual(
      schema?.fields.map(({name}) => name),
      ['url', 'class', 'since'],
    );
  });

  test('may come in another format', async () => {
    await using fixture = await freezeFixture();
    await fixture.freeze('deny-list', await fixture.list('deny.csv', DENY), '--as-of', '2026-05-01');
    const path = await fixture.list('deny.ndjson', '{"class": "fraud", "url": "https://a.example/"}\n');
    const {out, err} = await fixture.freeze('deny-list', path, '--as-of', '2026-06-01');
    assert.equal(err, '');
    assert.match(out, /since 2026-05-01: 0 added, 1 removed, 1 changed/);
    assert.match(out, /class: 1 row, dead → fraud 1$/m);
  });

  test('with another key is refused without a new schema', async () => {
    await using fixture = await freezeFixture();
    const path = await fixture.list('deny.csv', DENY);
    await fixture.freeze('deny-list', path, '--as-of', '2026-05-01');
    const {code, err} = await fixture.freeze('deny-list', path, '--as-of', '2026-06-01', '--primary-key', 'class');
    assert.equal(code, 1);
    assert.match(err, /^--primary-key "class" is not the key in .*2026-05-01\/datapackage\.json, url$/m);
  });
});

test('faults in several files have the names that the publisher used', async () => {
  await using fixture = await freezeFixture();
  const paths = [
    await fixture.list('a.csv', DENY),
    await fixture.list('b.csv', DENY.replace('b.example', 'c.example')),
  ];
  const {code, err} = await fixture.freeze('deny-list', ...paths, '--primary-key', 'url');
  assert.equal(code, 1);
  assert.equal(
    err,
    `${paths[1] ?? ''}:2: url "https://a.example/" occurs twice: first in line 2 of ${paths[0] ?? ''}\n`,
  );
});

test('the key of a short list is found, although DuckDB estimates 5 different values of 8', async () => {
  const rows = Array.from({length: 8}, (_, index) => `https://a${index}.example/,dead\n`);
  const {key} = await inferred('list.csv', `url,class\n${rows.join('')}`);
  assert.deepEqual(key, ['url']);
});

test('the changes since the previous freeze are reported', async () => {
  await using fixture = await freezeFixture();
  const listOf = (date: string) => join(PROJECT, 'tests/example/data/sources/deny-list', date, 'deny-list.csv');
  await fixture.freeze('deny-list', listOf('2026-03-01'), '--as-of', '2026-03-01T12:00Z');
  await fixture.freeze('deny-list', listOf('2026-05-01'), '--as-of', '2026-05-01T12:00Z');
  // Like freezes of versions without chains, because a freeze cannot be inserted into a chain.
  const later = {...(await fixture.descriptor('deny-list', '2026-05-01')), previous: undefined};
  await fixture.site.write('data/sources/deny-list/2026-05-01/datapackage.json', later);
  const between = await fixture.freeze('deny-list', listOf('2026-04-01'), '--as-of', '2026-04-01T12:00Z', '--json');
  const {last, changes} = JSON.parse(between.out) as {
    last: string;
    changes: {added: number; removed: number; changed: number; columns: object; moves: object[]; examples: object};
  };
  // Compares independently: from the lines of lists without quotes, split at the comma.
  const rowsOf = async (date: string) =>
    new Map(
      (await readFile(listOf(date), 'utf8'))
        .trim()
        .split('\n')
        .map(line => line.split(',') as [string, string]),
    );
  const [before, after] = [await rowsOf('2026-03-01'), await rowsOf('2026-04-01')];
  const added = [...after.keys()].filter(url => !before.has(url)).toSorted();
  const removed = [...before.keys()].filter(url => !after.has(url)).toSorted();
  const changed = [...after].filter(([url, name]) => before.has(url) && before.get(url) !== name).map(([url]) => url);
  assert.ok(added.length > 0 && changed.length > 0);
  assert.equal(last, '2026-03-01');
  assert.deepEqual([changes.added, changes.removed, changes.changed], [added.length, removed.length, changed.length]);
  assert.deepEqual(changes.columns, {class: changed.length});
  assert.deepEqual(
    new Set(changes.moves),
    new Set(changed.map(url => ({column: 'class', from: before.get(url), to: after.get(url), rows: 1}))),
  );
  assert.deepEqual(changes.examples, {
    added: added.slice(0, 3),
    removed: removed.slice(0, 3),
    changed: changed.toSorted().slice(0, 3),
  });
});
