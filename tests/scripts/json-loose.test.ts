import assert from 'node:assert/strict';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, test} from 'node:test';
import {refuseLooseJson} from '../../scripts/freeze/json/strict.ts';
import {InputError} from '../../shared/fault.ts';
import {parse} from '../../shared/json-text.ts';

const root = mkdtempSync(join(tmpdir(), 'loose-'));
after(() => {
  rmSync(root, {recursive: true});
});

/** Returns the error for a file, or none if it is strict JSON. */
async function fault(text: string, format: 'json' | 'ndjson'): Promise<string> {
  const file = `list.${format}`;
  writeFileSync(join(root, file), text);
  return await refuseLooseJson(root, file, format).then(
    () => '',
    (error: unknown) => (error as Error).message,
  );
}

/** A row that is not strict JSON, and its error. */
const ROWS: readonly (readonly [name: string, row: string, says: RegExp])[] = [
  ['a comma after the last member', '{"id":"b",}', /: this comma has no value after it/],
  ['a comma after the last item', '{"id":["b",]}', /: this comma has no value after it/],
  ['two commas', '{"id":"b",,"n":1}', /: this comma has no value before it/],
  [
    'a word after a million digits',
    `{"id":"${'1'.repeat(1_000_000)}","n":x}`,
    /has the word x without quotation marks/,
  ],
  ['a vertical tab', '{"id":\v"b"}', /has the character U\+000B between its values/],
  ['a form feed at the end', '{"id":"b"}\f', /has the character U\+000C/],
  ['a space that does not break', '{"id":\u00a0"b"}', /has the character U\+00A0/],
  ['a byte order mark inside', '\ufeff{"id":"b"}', /has the character U\+FEFF/],
  ['a comment', '{"id":"b" /* x */}', /has a comment/],
  ['a comment to the end of the line', '{"id":"b"} // x', /has a comment/],
  ['single quotation marks', "{'id':'b'}", /has single quotation marks/],
  ['NaN', '{"id":"b","n":NaN}', /has NaN, which JSON does not have$/],
  ['an infinity', '{"id":"b","n":-Infinity}', /has -Infinity, which JSON does not have$/],
  ['NaN inside an object', '{"id":"b","n":{"x":[NaN]}}', /has NaN/],
  ['a number of Python', '{"id":None}', /has None, as Python prints/],
  ['a sign before a number', '{"n":+1}', /has a number that starts with \+/],
  ['no digit before a point', '{"n":.5}', /has a number without a digit before its point/],
  ['a zero before a number', '{"n":01}', /has a number that starts with 0/],
  ['a hexadecimal number', '{"n":0x10}', /has a number that starts with 0/],
  ['a name without quotation marks', '{id:"b"}', /has a name of a member without quotation marks/],
  ['a tab in a text', '{"id":"a\tb"}', /has a control character within a text/],
  ['half of a surrogate pair', '{"id":"\\ud800"}', /has half of a surrogate pair/],
  ['a text', '"b"', /is not a JSON object/],
  ['null', 'null', /is not a JSON object/],
  ['a list', '[1]', /is not a JSON object/],
];

describe('a list of JSON is refused at its line, with', () => {
  for (const [name, row, says] of ROWS)
    test(name, async () => {
      const good = '{"id":"a"}';
      for (const [text, format] of [
        [`[\n${good},\n${row}]`, 'json'],
        [`${good}\n\n${row}\n`, 'ndjson'],
      ] as const) {
        const message = await fault(text, format);
        assert.match(message, says);
        assert.match(message, /^list\.(nd)?json:3:\d+:? /);
      }
    });
});

const FILES: readonly (readonly [name: string, text: string, format: 'json' | 'ndjson', says: RegExp])[] = [
  ['a comma after the last row', '[{"id":1},\n]', 'json', /^list\.json:1:10 .* this comma has no value after it/],
  ['a comma before the first row', '[,{"id":1}]', 'json', /^list\.json:1:2 .* this comma has no value before it/],
  ['a vertical tab before the list', '\v[{"id":1}]', 'json', /has the character U\+000B/],
  ['a form feed after the list', '[{"id":1}]\n\f', 'json', /^list\.json:2:1 has the character U\+000C/],
  ['a form feed in an empty list', '[\f]', 'json', /has the character U\+000C/],
  ['a second list', '[{"id":1}]\n[{"id":2}]', 'json', /^list\.json:2:1 has text after the end of its value$/],
  ['an object after the list', '[{"id":1}]{"id":2}', 'json', /^list\.json:1:11 has text after the end of its value$/],
  ['a bracket too many', '[{"id":1}]]', 'json', /^list\.json:1:11 has text after the end of its value/],
  ['a list that does not end', '[{"id":1}', 'json', /ends before its list does/],
  ['a list that ends in a row', '[{"id":1},\n{"id":', 'json', /^list\.json:2:7 ends before its list does$/],
  ['a row that does not end', '[{"id":1,\n{"id":2}]', 'json', /^list\.json:2:1 lacks the name of a member here/],
  ['a list that ends like an object', '[{"id":1}}', 'json', /^list\.json:1:11 ends before its list does/],
  ['a line of a vertical tab', '{"id":1}\n\v\n', 'ndjson', /^list\.ndjson:2:1 has the character U\+000B/],
  ['objects over several lines', '{\n"id": 1\n}\n', 'ndjson', /^list\.ndjson:1:1 is not a whole JSON object$/],
  ['two objects in a line', '{"id":1} {"id":2}\n', 'ndjson', /has two objects$/],
  ['a last line without its end', '{"id":1}\n{"id":2,"n":', 'ndjson', /^list\.ndjson:2:1 has a "\{" that is not closed/],
  ['commas between lines', '{"id":1},\n{"id":2}\n', 'ndjson', /has a comma after its object/],
]; // prettier-ignore

describe('a file of JSON is refused with', () => {
  for (const [name, text, format, says] of FILES)
    test(name, async () => {
      assert.match(await fault(text, format), says);
    });
});

test('strict JSON is accepted for all boundaries of chunks', async () => {
  for (const text of ['[]', ' [ ] \n', '[{"id":"\\u2028\\ud83d\\ude00\\\\ud800"}]', '[\r\n\t{"a":-0.5e+3}\r\n]'])
    assert.equal(await fault(text, 'json'), '');
  for (let shift = 0; shift < 4; shift++) {
    const row = JSON.stringify({id: 'a\\"],[{\\\\', n: [{x: '}'}]});
    const text = `[${' '.repeat(shift)}${Array.from({length: 15_000}, () => row).join(',\n')}]`;
    assert.equal(await fault(text, 'json'), '');
    assert.match(await fault(text.replace(/\]$/, ',]'), 'json'), /^list\.json:15000:39 .* this comma has no value/);
  }
});

test('half of a surrogate pair has its own remedy, in a list and in other files', async () => {
  writeFileSync(join(root, 'half.ndjson'), '{"id":"\\ud800"}\n');
  const isHalved = (error: unknown) => {
    assert.ok(error instanceof InputError);
    assert.match(error.faults[0]?.fix ?? '', /^Write the whole character/);
    return true;
  };
  await assert.rejects(refuseLooseJson(root, 'half.ndjson', 'ndjson'), isHalved);
  assert.throws(() => parse({file: 'site.json'}, '{"title":"\\ud800"}'), isHalved);
});
