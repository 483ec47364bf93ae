import assert from 'node:assert/strict';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {DuckDBInstance} from '@duckdb/node-api';
import {freezeFixture} from './freeze-fixture.ts';

const [MAY, JUNE] = [
  ['--as-of', '2026-05-01'],
  ['--as-of', '2026-06-01'],
];
const ZIPS = 'store,zip,n\nA1,94103,3\nB2,10001,4\nC3,60601,5\nD4,73301,5\n';

/**
 * Freezes one list after another with the key `store`, and returns the last run and the type of `zip` in the last
 * freeze.
 */
async function frozenTwice(first: string, second: string, ...args: string[]) {
  await using fixture = await freezeFixture();
  const before = await fixture.freeze('shops', await fixture.list('a.csv', first), '--primary-key', 'store', ...MAY);
  assert.equal(before.err, '');
  const ran = await fixture.freeze('shops', await fixture.list('b.csv', second), ...JUNE, ...args);
  const schema = ran.code === 0 ? (await fixture.descriptor('shops', '2026-06-01')).resources[0].schema : undefined;
  return {...ran, type: schema?.fields.find(({name}) => name === 'zip')?.type};
}

describe('a later list with texts that numbers would lose', {concurrency: 2}, () => {
  for (const value of ['02134', '00', '+5', '-0'])
    test(`is refused at ${value}, and is text with --new-schema`, async () => {
      const second = `${ZIPS}E5,${value},7\n`;
      const {code, err, remedies} = await frozenTwice(ZIPS, second);
      assert.equal(code, 1);
      assert.ok(err.includes(`b.csv:6: zip "${value}" has `), err);
      assert.match(remedies ?? '', /make the column text with frozen freeze … --new-schema\.$/m);
      const again = await frozenTwice(ZIPS, second, '--new-schema');
      assert.deepEqual([again.err, again.type], ['', 'string']);
    });

  test('does not get the earlier type back from --new-schema if two texts are one number', async () => {
    const versions = 'store,zip,n\nA1,1.9,3\nB2,1.8,4\n';
    const {err, type} = await frozenTwice(versions, `${versions}C3,1.10,5\nD4,1.1,6\n`, '--new-schema');
    assert.deepEqual([err, type], ['', 'string']);
  });

  test('is refused if two texts are one number, and is text with --new-schema', async () => {
    const [first, second] = ['store,zip,n\nA1,1.9,3\n', 'store,zip,n\nA1,1.9,3\nB2,1.10,4\nC3,1.1,5\n'];
    const {err} = await frozenTwice(first, second);
    assert.match(
      err,
      /b\.csv:4: zip "1\.1" is the same number as one above, written in another way, [^:]*: first in line 3$/m,
    );
    const {type} = await frozenTwice(first, second, '--new-schema');
    assert.equal(type, 'string');
  });

  test('keeps numbers with zeros at the end, and exponents, in a column of numbers', async () => {
    const {err, type} = await frozenTwice(
      'store,zip,n\nA1,0.5,3\n',
      'store,zip,n\nA1,1.50,3\nB2,1.5e3,4\nC3,1e-05,5\nD4,2.0,6\nE5,1.50,7\nF6,3,8\n',
    );
    assert.deepEqual([err, type], ['', 'number']);
  });
});

test('a Parquet double of negative zero is a number', async () => {
  await using fixture = await freezeFixture();
  const path = join(fixture.lists, 'things.parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (SELECT 'a' AS id, -0.0::DOUBLE AS x UNION ALL SELECT 'b', 1e16::DOUBLE) TO '${path}'`);
  connection.closeSync();
  instance.closeSync();
  const {code, err} = await fixture.freeze('things', path, '--primary-key', 'id', ...MAY);
  assert.equal(code, 0, err);
});

describe('the report of a first freeze', {concurrency: 2}, () => {
  for (const [values, note] of [
    [
      ['0.5', '-0.0', '1.5'],
      'a number would lose characters of -0.0. If its values are numbers, write them as in JSON',
    ],
    [['+0.5', '+1', '-2'], 'a number would lose characters of +0.5. If'],
    [['2.5', '2.50', '3'], '2.5 and 2.50 are the same number. If its values are numbers, write each number in one way'],
    [['20,548', '423', '1,234.5'], 'a number would lose characters of 1,234.5. If its values are numbers'],
    [['15.129,28', '-0,5', '7'], 'a number would lose characters of -0,5. If its values are numbers'],
    [['1,5', '2', 'x'], undefined],
    [['02134', '10001', '60601'], undefined],
    [['+41 44', '+41 45', '1'], undefined],
    [['1', '2', '3.5'], undefined],
  ] as const)
    test(`${note === undefined ? 'has no note' : 'says why the column is text'} for ${values.join(', ')}`, async () => {
      await using fixture = await freezeFixture();
      const list = await fixture.list('a.csv', `id,n\n${values.map((value, row) => `a${row},"${value}"\n`).join('')}`);
      const {err, out} = await fixture.freeze('things', list, '--primary-key', 'id', ...MAY);
      assert.equal(err, '');
      const [found] = /^Column "n" is text, because .* again with --replace\.$/m.exec(out) ?? [];
      assert.equal(
        found?.startsWith(`Column "n" is text, because ${note}`),
        note === undefined ? undefined : true,
        out,
      );
    });
});
