import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {CLASS_SHARE} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';
import {freezeFixture} from './freeze-fixture.ts';

const [MAY, JUNE] = [
  ['--as-of', '2026-05-01'],
  ['--as-of', '2026-06-01'],
];
const LIST = 'id,class,n\na,x,1\nb,NA,NA\nc,y,3\nd,x,\n';

describe('--missing', {concurrency: 2}, () => {
  test('makes a text a missing value in types, classes, sold rows and later freezes', async () => {
    await using fixture = await freezeFixture();
    const first = await fixture.freeze('things', await fixture.list('a.csv', LIST), '--missing', 'NA', ...MAY);
    assert.equal(first.err, '');
    const {resources} = await fixture.descriptor('things', '2026-05-01');
    const {fields, ...rest} = resources[0].schema ?? {fields: []};
    assert.deepEqual(
      fields.map(({type, constraints}) => [type, constraints?.required, constraints?.enum]),
      [
        ['string', true, undefined],
        ['string', undefined, ['x', 'y']],
        ['integer', undefined, undefined],
      ],
    );
    assert.deepEqual(rest, {primaryKey: ['id'], missingValues: ['', 'NA']});
    const later = await fixture.freeze('things', await fixture.list('b.csv', `${LIST}e,y,NA\n`), ...JUNE);
    assert.equal(later.err, '');
    await fixture.site.write('data/products/all.json', {
      ...CLASS_SHARE,
      title: 'All Things',
      source: 'things',
      class: ['x', 'y'],
      as: 'known',
    });
    await fixture.site.write('data/products/sum.json', {
      title: 'Sum Of Things',
      kind: 'query',
      price: '$0.02',
      source: 'things',
      siblings: [],
      difference: 'adds them up',
      figures: 'SELECT count(n) AS known_n, count(*) AS rows_n FROM rows',
      rows: 'SELECT id, class, n FROM rows ORDER BY id',
    });
    assert.equal((await fixture.site.build()).err, '');
    const {rows} = await readJson(fixture.site.root, 'public/api/v1/allthings');
    assert.deepEqual(
      (rows as {n: number | null}[]).map(({n}) => n),
      [1, 3, null, null],
    );
    const sum = await readJson(fixture.site.root, 'public/api/v1/sumofthings');
    assert.deepEqual([sum['known_n'], sum['rows_n']], [2, 5]);
    assert.deepEqual((sum['rows'] as object[])[1], {id: 'b', class: null, n: null});
  });

  test('does not make an empty cell a text if the last list was JSON', async () => {
    await using fixture = await freezeFixture();
    const rows = [
      {id: 'a', note: 'x', n: 1},
      {id: 'b', note: null, n: 'NA'},
    ];
    const json = await fixture.list('a.json', JSON.stringify(rows));
    assert.equal((await fixture.freeze('things', json, '--missing', 'NA', ...MAY)).err, '');
    const csv = await fixture.list('b.csv', 'id,note,n\na,x,1\nb,,\n');
    const later = await fixture.freeze('things', csv, ...JUNE);
    assert.match(later.out, /^since 2026-05-01: 0 added, 0 removed, 0 changed$/m);
    const {resources} = await fixture.descriptor('things', '2026-06-01');
    assert.deepEqual({...resources[0].schema, fields: []}, {fields: [], primaryKey: ['id'], missingValues: ['NA', '']});
  });

  test('of a column replaces those of the schema, with labels or without', async () => {
    await using fixture = await freezeFixture();
    await fixture.site.freeze({
      source: 'things',
      date: '2026-04-01',
      files: {'things.csv': 'id,n,t\na,-9,NA\nb,1,\n'},
      schema: {
        fields: [
          {name: 'id', type: 'string'},
          {name: 'n', type: 'integer', missingValues: [{value: '-9', label: 'REFUSED'}]},
          {name: 't', type: 'string', missingValues: ['-']},
        ],
        primaryKey: 'id',
        missingValues: ['', 'NA'],
      },
    });
    const list = await fixture.list('a.csv', 'id,n,t\na,-9,NA\nb,1,\nc,2,-\n');
    for (const args of [[], ['--new-schema', '--primary-key', 'id']]) {
      const {err, out} = await fixture.freeze('things', list, '--json', '--dry-run', ...args, ...MAY);
      assert.equal(err, '');
      const {first_rows} = JSON.parse(out) as {first_rows: unknown};
      assert.deepEqual(first_rows, [
        ['a', null, 'NA'],
        ['b', '1', ''],
        ['c', '2', null],
      ]);
    }
  });

  const ROWS = Array.from({length: 60}, (_, at) => at);
  for (const [type, value, marker] of [
    ['integer', '7', 'NA'],
    ['number', '0.5', 'n.d.'],
    ['date', '2026-01-02', '-'],
    ['datetime', '2026-01-02T03:04:05Z', '—'],
    ['boolean', 'true', '(none)'],
  ] as const)
    test(`is suggested by the first freeze of a column of ${type} with ${marker}, and makes it that type`, async () => {
      await using fixture = await freezeFixture();
      const rows = ROWS.map(at => `r${at},${at % 4 === 0 ? marker : value}\n`);
      const list = await fixture.list('a.csv', `id,x\n${rows.join('')}`);
      const {out} = await fixture.freeze('things', list, '--dry-run', ...MAY);
      const [, options = ''] =
        /^Column "x" is text, because 15 of its 60 values are not of type .* again with (.*)\.$/m.exec(out) ?? [];
      assert.ok(out.includes(`are not of type ${type}: ${marker}.`), out);
      const words = options.split(' ').map(word => word.replaceAll("'", ''));
      assert.deepEqual(words, ['--missing', marker]);
      assert.equal((await fixture.freeze('things', list, ...words, ...MAY)).err, '');
      const {resources} = await fixture.descriptor('things', '2026-05-01');
      assert.equal(resources[0].schema?.fields[1]?.type, type);
    });

  test('is suggested for JSON with more texts among numbers than rows that are shown', async () => {
    await using fixture = await freezeFixture();
    const rows = ROWS.map(at => ({
      id: `r${at}`,
      n: at > 5 ? ['NA', '-'][at % 2] : at,
      d: at > 0 ? '2026-01-02' : 'NA',
    }));
    const list = await fixture.list('a.json', JSON.stringify(rows));
    const {err} = await fixture.freeze('things', list, ...MAY);
    assert.match(err, /column "n" has 6 values of type integer and 54 other values \(-, NA\)$/m);
    const {out} = await fixture.freeze('things', list, '--missing', '-', '--missing', 'NA', '--json', ...MAY);
    const {schema} = JSON.parse(out) as {schema: {fields: {type: string}[]}};
    assert.deepEqual(
      schema.fields.map(({type}) => type),
      ['string', 'integer', 'date'],
    );
  });

  test('is not suggested for a text column with many texts, nor for one with leading zeros', async () => {
    await using fixture = await freezeFixture();
    const rows = ROWS.map(at => `r${at},${at % 4 === 0 ? `a${at}` : at},${at === 9 ? 'NA' : `0${at}`}\n`);
    const {out} = await fixture.freeze('things', await fixture.list('a.csv', `id,x,y\n${rows.join('')}`), ...MAY);
    assert.match(out, /^frozen: /m);
    assert.doesNotMatch(out, /--missing/);
  });

  test('is named by a later list with a marker in a column of dates or booleans', async () => {
    await using fixture = await freezeFixture();
    const first = await fixture.list('a.csv', 'id,d,b\na,2026-01-02,true\n');
    assert.equal((await fixture.freeze('things', first, ...MAY)).err, '');
    const list = await fixture.list('b.csv', 'id,d,b\na,N/A,TBD\nb,2026-02-30,maybe\n');
    const {err, remedies = ''} = await fixture.freeze('things', list, ...JUNE);
    assert.match(err, /:2: d "N\/A" is not a date but looks like a missing value$/m);
    assert.match(err, /:2: b "TBD" is not a boolean but looks like a missing value$/m);
    for (const word of ['N/A', 'TBD'])
      assert.ok(
        remedies.includes(`: Freeze the list with --missing ${word} --new-schema, or make the column text`),
        remedies,
      );
    assert.match(err, /:3: d "2026-02-30" is not a date that exists, YYYY-MM-DD$/m);
    assert.match(err, /:3: b "maybe" is not a boolean: true or false$/m);
  });

  test('is named by the refusal of a marker in a column of numbers', async () => {
    await using fixture = await freezeFixture();
    assert.equal((await fixture.freeze('things', await fixture.list('a.csv', 'id,n\na,1\n'), ...MAY)).err, '');
    const list = await fixture.list('b.csv', 'id,n\na,1\nb,N/A\n');
    const refused = await fixture.freeze('things', list, ...JUNE);
    assert.match(refused.err, /b\.csv:3: n "N\/A" is not an integer but looks like a missing value$/m);
    assert.match(refused.remedies ?? '', /: Freeze the list with --missing N\/A --new-schema, or make the column text/);
    const required = await fixture.freeze('things', list, '--missing', 'N/A', ...JUNE);
    assert.match(
      required.err,
      /b\.csv:3: n "N\/A" represents a missing value, and this column is required in every row$/m,
    );
    assert.match(required.remedies ?? '', /make the column optional with frozen freeze … --new-schema\.$/m);
    const remedy = await fixture.freeze('things', list, '--missing', 'N/A', '--new-schema', ...JUNE);
    assert.equal(remedy.err, '');
    const {resources} = await fixture.descriptor('things', '2026-06-01');
    assert.equal(resources[0].schema?.fields[1]?.type, 'integer');
  });

  test('is not named for a marker in the key', async () => {
    await using fixture = await freezeFixture();
    assert.equal((await fixture.freeze('things', await fixture.list('a.csv', 'id,n\n1,1\n2,2\n'), ...MAY)).err, '');
    const list = await fixture.list('b.csv', 'id,n\n1,1\nN/A,2\n');
    const {err, remedies = ''} = await fixture.freeze('things', list, ...JUNE);
    assert.match(err, /b\.csv:3: id "N\/A" is not an integer but looks like a missing value$/m);
    assert.match(remedies, /: Write a value, or make the column text/);
  });

  test('refuses a missing value in the key, with its line', async () => {
    await using fixture = await freezeFixture();
    const list = await fixture.list('a.csv', 'id,n\na,1\nNA,2\n');
    const {code, err} = await fixture.freeze('things', list, '--missing', 'NA', '--primary-key', 'id', ...MAY);
    assert.equal(code, 1);
    assert.match(err, /a\.csv:3: id "NA" represents a missing value, and this column is required in every row$/m);
  });

  test('applies to texts of JSON, not to numbers, and does not change empty texts', async () => {
    await using fixture = await freezeFixture();
    const list = await fixture.list('a.ndjson', '{"id":"a","n":-1,"t":""}\n{"id":"b","n":"-1","t":"-1"}\n');
    const {err, out} = await fixture.freeze('things', list, '--missing', '-1', '--primary-key', 'id', '--json', ...MAY);
    assert.equal(err, '');
    const {first_rows} = JSON.parse(out) as {first_rows: unknown};
    assert.deepEqual(first_rows, [
      ['a', '-1', ''],
      ['b', null, null],
    ]);
  });

  test('is refused for a text that is a class, unless the schema is new', async () => {
    await using fixture = await freezeFixture();
    const list = await fixture.list('a.csv', LIST);
    assert.equal((await fixture.freeze('things', list, ...MAY)).err, '');
    const {err} = await fixture.freeze('things', list, '--missing', 'NA', ...JUNE);
    assert.equal(err, '--missing "NA" is a class of column "class"\n');
    assert.equal((await fixture.freeze('things', list, '--missing', 'NA', '--new-schema', ...JUNE)).err, '');
  });
});
