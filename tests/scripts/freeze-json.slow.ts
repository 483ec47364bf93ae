import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {PROJECT} from '../project.ts';
import {freezeFixture} from './freeze-fixture.ts';

const ROWS = [
  {id: 'a', q: 1.5},
  {id: 'b', q: 2},
];
const NAMELESS = [
  {column1: 'a', column2: 1.5},
  {column1: 'b', column2: 2},
];
const [FIRST = {}, SECOND = {}] = ROWS;

/** A row of the table in docs/lists.md, a list, the message about it, and the rows that the program makes from it. */
const CASES: readonly (readonly [shape: string, content: string, says: RegExp, rows: readonly object[]])[] = [
  ['one object that is a row', JSON.stringify(FIRST), /an object without a list of rows/, [FIRST]],
  ['an object with rows as its members', JSON.stringify({x: FIRST, y: SECOND}), /an object without a list of rows/, [{key: 'x', ...FIRST}, {key: 'y', ...SECOND}]],
  ['an object with texts or numbers as its members', '{"x":"a","y":"b"}', /an object without a list of rows/, [{key: 'x', value: 'a'}, {key: 'y', value: 'b'}]],
  ['an object with a list of texts, here `domains`', '{"version":2,"domains":["a","b"]}', /an object without a list of rows/, [{value: 'a'}, {value: 'b'}]],
  ['an object with a list of texts for each key', '{"x":["a","b"],"y":[],"z":["c"]}', /an object without a list of rows/, [{key: 'x', value: 'a'}, {key: 'x', value: 'b'}, {key: 'z', value: 'c'}]],
  ['an object with a list for each column', '{"id":["a","b"],"q":[1.5,2.0]}', /an object without a list of rows/, ROWS],
  ['pandas, `orient="columns"`', '{"id":{"0":"a","1":"b"},"q":{"0":1.5,"1":2.0}}', /an object without a list of rows/, ROWS],
  ['pandas, `orient="split"`', '{"columns":["id","q"],"index":[0,1],"data":[["a",1.5],["b",2.0]]}', /an object without a list of rows/, ROWS],
  ['an array of arrays, the first with the names', '[["id","q"],["a",1.5],["b",2.0]]', /is a list of arrays, not of objects/, ROWS],
  ['an array of arrays without names', '[["a",1.5],["b",2.0]]', /is a list of arrays, not of objects/, NAMELESS],
  ['an array of arrays of objects', JSON.stringify(ROWS.map(row => [row])), /is a list of arrays, not of objects/, ROWS],
  ['an array of texts or numbers', '["a","b"]', /is a list of strings, not of objects/, [{value: 'a'}, {value: 'b'}]],
  ['an array with texts and other values in one column, here `id`', '[{"id":"a"},{"id":7},{"id":"b"},{"id":null}]', /id "7" is a number, not a text/, [{id: 'a'}, {id: '7'}, {id: 'b'}, {id: null}]],
  ['several values, one after the other', `${JSON.stringify(FIRST, null, 2)}\n${JSON.stringify(SECOND, null, 2)}`, /several values, one after the other/, ROWS],
]; // prettier-ignore

/** Returns the jq program in docs/lists.md for a shape. */
async function programFor(shape: string): Promise<string[]> {
  const page = await readFile(join(PROJECT, 'docs/lists.md'), 'utf8');
  const line = page.split('\n').find(line => line.startsWith(`| ${shape} |`)) ?? assert.fail(shape);
  const [, program = '', option] = /\| `([^`]*)`(?: with the option `(-[cn])`)? \|$/.exec(line) ?? assert.fail(line);
  return [...(option === undefined ? [] : [option]), program.replaceAll('\\|', '|')];
}

describe('the jq program in the docs makes a valid list from', {concurrency: 2}, () => {
  for (const [shape, content, says, rows] of CASES) {
    test(shape, async () => {
      await using fixture = await freezeFixture();
      const path = await fixture.list('a.json', content);
      const refused = await fixture.freeze('list', path, '--no-primary-key');
      assert.equal(refused.code, 1);
      assert.match(refused.err, says);
      assert.match(refused.remedies ?? '', /docs\/lists\.md/);
      const made = await fixture.list('b.json', execFileSync('jq', [...(await programFor(shape)), path]));
      const {code, err} = await fixture.freeze('list', made, '--no-primary-key', '--as-of', '2026-05-01');
      assert.equal(code, 0, err);
      const frozen = await readFile(join(fixture.site.root, 'data/sources/list/2026-05-01/b.json'), 'utf8');
      assert.deepEqual(JSON.parse(frozen), rows);
    });
  }
});

test('the jq program in the docs makes texts of the numbers in NDJSON', async () => {
  await using fixture = await freezeFixture();
  const list = await fixture.list('a.ndjson', '{"id":"a"}\n{"id":7}\n{"id":"b"}\n{"id":null}\n');
  assert.match((await fixture.freeze('list', list, '--no-primary-key')).err, /id "7" is a number, not a text/);
  const made = execFileSync('jq', [...(await programFor('the same in NDJSON')), list]);
  assert.equal(made.toString(), '{"id":"a"}\n{"id":"7"}\n{"id":"b"}\n{"id":null}\n');
});

test('values without names, one per line, are refused', async () => {
  await using fixture = await freezeFixture();
  for (const content of ['"a"\n"b"\n', '["a",1.5]\n["b",2]\n'])
    assert.match(
      (await fixture.freeze('list', await fixture.list('a.ndjson', content))).err,
      /values without names, one per line$/m,
    );
});

test('the message suggests only the rows of a list that pandas writes with orient=table, not its columns', async () => {
  await using fixture = await freezeFixture();
  const schema = {fields: [{name: 'id', type: 'string'}], pandas_version: '1.4.0'};
  const list = await fixture.list('a.json', JSON.stringify({schema, data: ROWS}));
  const refused = await fixture.freeze('list', list);
  assert.match(refused.err, /an object with a list of rows$/m);
  assert.match(refused.remedies ?? '', /Add `--property data`\.$/);
  const {code, err} = await fixture.freeze('list', list, '--property', 'data', '--primary-key', 'id');
  assert.equal(code, 0, err);
});

test('NaN in a list inside an object is named', async () => {
  await using fixture = await freezeFixture();
  const inside = await fixture.list('a.json', '{"rows":[\n{"id":"a","n":NaN}]}');
  assert.match(
    (await fixture.freeze('list', inside, '--property', 'rows')).err,
    /a\.json:2:\d+ is not JSON: it has NaN, which JSON does not have/,
  );
});

test('the remedy for a repeated member, or for two that differ only in case, is about the list', async () => {
  await using fixture = await freezeFixture();
  const remedyFor = async (row: string) => {
    const {code, remedies} = await fixture.freeze('list', await fixture.list('a.json', `[${row}]`));
    assert.equal(code, 1);
    return remedies;
  };
  assert.match((await remedyFor('{"id":"a","id":"b"}')) ?? '', /^FZ107: .*Remove members that occur twice/);
  assert.equal(await remedyFor('{"id":"a","Id":"b"}'), 'FZ114: Rename it in the list.');
});

test('a text is never read as a number, whatever it starts with', async () => {
  await using fixture = await freezeFixture();
  const list = await fixture.list(
    'a.json',
    String.raw`[{"id":"a","text":"\u0001number\u00015","n":123456789012345.6789}]`,
  );
  const {code, err} = await fixture.freeze('list', list, '--as-of', '2026-05-01');
  assert.equal(code, 0, err);
  const {schema} = (await fixture.descriptor('list', '2026-05-01')).resources[0];
  assert.deepEqual(
    schema?.fields.map(({type}) => type),
    ['string', 'string', 'number'],
  );
});
