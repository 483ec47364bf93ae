import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {freezeFixture, type FreezeFixture} from './freeze-fixture.ts';

async function frozen(fixture: FreezeFixture, name: string, content: string, ...args: string[]) {
  return fixture.freeze('things', await fixture.list(name, content), '--as-of', '2026-05-01', ...args);
}

describe('a list with nested values is refused', {concurrency: 2}, () => {
  const good = '{"url":"https://a.example/","o":{"x":1}}';
  const cases: readonly (readonly [name: string, value: string, rule: string])[] = [
    [
      'that hold a number no double holds',
      '{"x":[9007199254740993]}',
      'contains a number that a double cannot represent',
    ],
    [
      'that hold a number with too many digits',
      '{"x":0.1234567890123456789}',
      'contains a number that a double cannot represent',
    ],
    ['that hold a number past all doubles', '{"x":1e400}', 'contains a number that a double cannot represent'],
    ['with a repeated member', '{"x":[{"y":1,"y":1}]}', 'contains an object with a repeated member'],
    ['with a member __proto__', '{"x":{"__proto__":1}}', 'contains a member called __proto__'],
    [
      'that are too deep',
      `{"x":${'['.repeat(16)}${']'.repeat(16)}}`,
      'is nested deeper than 16 levels, the most that a value may have',
    ],
  ];
  for (const [name, value, rule] of cases)
    test(name, async () => {
      await using fixture = await freezeFixture();
      const {code, err, remedies} = await frozen(
        fixture,
        'things.ndjson',
        `${good}\n{"url":"https://b.example/","o":${value}}\n`,
      );
      assert.equal(code, 1);
      const [line = '', ...others] = err.trimEnd().split('\n');
      assert.ok(line.startsWith(`${fixture.lists}/things.ndjson:2: o "{`), err);
      assert.ok(line.endsWith(`" ${rule}`) || line.endsWith(`… ${rule}`), err);
      assert.deepEqual(others, []);
      // Another type of the column would not help.
      assert.doesNotMatch(remedies ?? '', /--new-schema/);
    });

  test('with one line for a column of mixed types, and one line per row for a few rows', async () => {
    await using fixture = await freezeFixture();
    const rows = (texts: number) =>
      Array.from({length: 100}, (_, n) => `{"url":"https://${n}.example/","o":${n < texts ? '"x"' : '["x"]'}}\n`).join(
        '',
      );
    const many = await frozen(fixture, 'many.ndjson', rows(40));
    assert.equal(
      many.err,
      `${fixture.lists}/many.ndjson: column "o" has 60 values of type array and 40 of other types\n`,
    );
    const few = await frozen(fixture, 'few.ndjson', rows(2));
    const lines = [1, 2].map(line => `${fixture.lists}/few.ndjson:${line}: o "x" is not an array\n`);
    assert.equal(few.err, lines.join(''));
  });

  test('if they are the key', async () => {
    await using fixture = await freezeFixture();
    const {code, err} = await frozen(fixture, 'things.ndjson', `${good}\n`, '--primary-key', 'o');
    assert.equal(code, 2);
    assert.match(err, /^--primary-key "o" is a column of type object, which cannot be a key$/m);
  });
});

describe('a list inside an object', {concurrency: 2}, () => {
  const wrapped = '{"meta":{"n":[1]},"data":{"things":[\n{"id":"a"},\n{"id":"b"}\n]}}';

  test('is refused with the member that contains it', async () => {
    await using fixture = await freezeFixture();
    const {code, err} = await frozen(fixture, 'things.json', wrapped);
    assert.equal(code, 1);
    assert.match(err, /things\.json is not a JSON array, as its name says, but an object with a list of rows$/m);
    assert.equal((await frozen(fixture, 'things.json', wrapped, '--property', 'data.things')).code, 0);
  });

  const cases: readonly (readonly [name: string, text: string, rows: string, says: RegExp])[] = [
    ['that is not there', wrapped, 'things', /things\.json: things is not a member with a list of rows$/m],
    [
      'in which a row breaks a rule',
      wrapped.replace('"b"', '"a"'),
      'data.things',
      /things\.json:3: id "a" occurs twice: first in line 2$/m,
    ],
    [
      'next to a repeated member',
      '{"data":[],"data":[{"id":"a"}]}',
      'data',
      /things\.json:1: data occurs twice in one object$/m,
    ],
    [
      'that is cut off',
      '{"data":[{"id":"a"}',
      'data',
      /things\.json:1:9 is not JSON: it has a "\[" that is not closed$/m,
    ],
    ['with an empty name', wrapped, 'data..things', /^--property "data\.\.things" is not the names of the members/m],
  ];
  for (const [name, text, rows, says] of cases)
    test(`${name} is refused`, async () => {
      await using fixture = await freezeFixture();
      const {code, err} = await frozen(fixture, 'things.json', text, '--property', rows, '--primary-key', 'id');
      assert.equal(code, rows === 'data..things' ? 2 : 1);
      assert.match(err, says);
    });
});
