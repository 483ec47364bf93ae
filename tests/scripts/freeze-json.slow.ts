import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {describe, test} from 'node:test';
import {gzipSync} from 'node:zlib';
import {freezeFixture} from './freeze-fixture.ts';

const ROWS = [
  {id: 'a', q: 1.5},
  {id: 'b', q: 2},
];
const NAMELESS = [
  {column1: 'a', column2: 1.5},
  {column1: 'b', column2: 2},
];

/** A list, what is said of it, and the rows that the suggested command makes of it. */
const CASES: readonly (readonly [name: string, file: string, content: string | Uint8Array, says: RegExp, rows: readonly object[]])[] = [
  ['pandas, orient=columns', 'a.json', '{"id":{"0":"a","1":"b"},"q":{"0":1.5,"1":2.0}}', /an object of columns, as pandas writes without orient="records"/, ROWS],
  ['pandas, orient=columns, packed', 'a.json.gz', gzipSync('{"id":{"0":"a","1":"b"},"q":{"0":1.5,"1":2.0}}'), /an object of columns, as pandas/, ROWS],
  ['pandas, orient=columns, with labels', 'a.json', '{"id":{"x":"a","y":"b"},"q":{"x":1.5,"y":2.0}}', /an object of columns, as pandas/, ROWS],
  ['pandas, orient=columns, with null and false', 'a.json', '{"id":{"0":"a","1":"b"},"q":{"0":null,"1":false}}', /an object of columns, as pandas/, [{id: 'a', q: null}, {id: 'b', q: false}]],
  ['pandas, orient=split', 'a.json', '{"columns":["id","q"],"index":[0,1],"data":[["a",1.5],["b",2.0]]}', /as pandas writes with orient="split"/, ROWS],
  ['pandas, orient=split, with null and false', 'a.json', '{"columns":["id","q"],"index":[0,1],"data":[["a",null],["b",false]]}', /orient="split"/, [{id: 'a', q: null}, {id: 'b', q: false}]],
  ['pandas, orient=index', 'a.json', '{"0":{"id":"a","q":1.5},"1":{"id":"b","q":2.0}}', /an object without a list of rows/, ROWS.map((row, n) => ({key: String(n), ...row}))],
  ['pandas, orient=values', 'a.json', '[["a",1.5],["b",2.0]]', /is a list of arrays, not of objects/, NAMELESS],
  ['lists below their names', 'a.json', '[["id","q"],["a",1.5],["b",2.0]]', /is a list of arrays, not of objects/, ROWS],
  ['an object of lists', 'a.json', '{"id":["a","b"],"q":[1.5,2.0]}', /an object of columns/, ROWS],
  ['what jq prints', 'a.json', JSON.stringify(ROWS[0], null, 2) + '\n' + JSON.stringify(ROWS[1], null, 2), /several objects, one after the other/, ROWS],
  ['what jq prints, called NDJSON', 'a.ndjson', JSON.stringify(ROWS[0], null, 2) + '\n' + JSON.stringify(ROWS[1], null, 2), /a\.ndjson:1:\d+ is not a whole JSON object/, ROWS],
  ['what jq prints, packed', 'a.ndjson.gz', gzipSync(JSON.stringify(ROWS[0], null, 2) + '\n' + JSON.stringify(ROWS[1], null, 2)), /is not a whole JSON object/, ROWS],
  ['texts', 'my list.json', '["a","b"]', /is a list of strings, not of objects/, [{value: 'a'}, {value: 'b'}]],
  ['texts, one a line', 'a.ndjson', '"a"\n"b"\n', /values, one a line, not objects/, [{value: 'a'}, {value: 'b'}]],
  ['lists, one a line', 'a.ndjson', '["a",1.5]\n["b",2]\n', /lists, one a line, not objects/, NAMELESS],
  ['one object', 'a.json', '{"id":"a","q":1.5}', /one object: if it is one row/, ROWS.slice(0, 1)],
  ['NaN and infinities', 'a.json', '[{"id":"a","q":NaN},{"id":"b","q":-Infinity},{"id":"c","q":{"x":[Infinity,1]}}]', /a\.json:1:\d+ has NaN, which JSON does not have/, [{id: 'a', q: null}, {id: 'b', q: null}, {id: 'c', q: {x: [null, 1]}}]],
  ['NaN, one row a line', 'a.ndjson', '{"id":"a","q":1.5}\n{"id":"b","q":NaN}\n', /a\.ndjson:2:\d+ has NaN/, [{id: 'a', q: 1.5}, {id: 'b', q: null}]],
  ['lists of rows in a list', 'a.json', JSON.stringify(ROWS.map(row => [row])), /is a list of lists of objects: make one list with/, ROWS],
  ['lists of rows, one after the other', 'a.json', ROWS.map(row => JSON.stringify([row])).join('\n'), /a\.json:2:1 has another value after its list, and JSON is one value: .* makes one list of several/, ROWS],
]; // prettier-ignore

describe('the command in the message makes a list that is frozen, of', {concurrency: 2}, () => {
  for (const [name, file, content, says, rows] of CASES) {
    test(name, async () => {
      await using fixture = await freezeFixture();
      const path = await fixture.list(file, content);
      const refused = await fixture.freeze('list', path);
      assert.equal(refused.code, 1);
      assert.match(refused.err, says);
      const [, command = '', made = ''] = /`(.* > (\S+|'[^']+'))`/.exec(refused.err) ?? assert.fail(refused.err);
      execFileSync('sh', ['-c', command], {cwd: dirname(path)});
      const list = made.replaceAll("'", '');
      const {code, err} = await fixture.freeze(
        'list',
        join(dirname(path), list),
        '--no-primary-key',
        '--as-of',
        '2026-05-01',
      );
      assert.equal(code, 0, err);
      const frozen = await readFile(join(fixture.site.root, 'data/sources/list/2026-05-01', list), 'utf8');
      const found: unknown = list.endsWith('.json')
        ? JSON.parse(frozen)
        : frozen
            .trim()
            .split('\n')
            .map(line => JSON.parse(line) as unknown);
      assert.deepEqual(found, rows);
    });
  }
});

test('only the rows of a list that pandas writes with orient=table are offered, not its columns', async () => {
  await using fixture = await freezeFixture();
  const schema = {fields: [{name: 'id', type: 'string'}], pandas_version: '1.4.0'};
  const list = await fixture.list('a.json', JSON.stringify({schema, data: ROWS}));
  assert.match((await fixture.freeze('list', list)).err, /an object that holds a list of rows: add --property data$/m);
  const {code, err} = await fixture.freeze('list', list, '--property', 'data', '--primary-key', 'id');
  assert.equal(code, 0, err);
});

test('NaN in a list inside an object is named, and long numbers ask for a jq that keeps them', async () => {
  await using fixture = await freezeFixture();
  const inside = await fixture.list('a.json', '{"rows":[\n{"id":"a","n":NaN}]}');
  assert.match(
    (await fixture.freeze('list', inside, '--property', 'rows')).err,
    /a\.json:2:\d+ has NaN, which JSON does not have/,
  );
  const long = await fixture.list('b.json', '{"id":{"0":9007199254740993},"q":{"0":1}}');
  assert.match((await fixture.freeze('list', long)).err, /\(with jq 1\.7 or later: earlier ones round long numbers\)/);
});
