import {gzipSync} from 'node:zlib';
import type {BadInput} from './bad-input.ts';
import {split, withColumn, type Files} from './deny-list.ts';

type Says = BadInput['says'];

const GOOD = '{"url":"https://a.example/","class":"dead"}\n';
const files = (name: string, contents: Files, says: Says, resource: object = {}) =>
  split(name, contents, says, {format: 'ndjson', resource});
/** A good row, a blank line, and a line. */
const line = (name: string, text: string, says: Says, resource: object = {}) =>
  files(name, {'rows.ndjson': `${GOOD}\n${text}\n`}, says, resource);
/** A row of the deny list with a third column, `x`. */
const typed = (type: string, value: string, says: Says) =>
  line(
    `${value} in a column of type ${type}`,
    `{"url":"https://b.example/","class":"dead","x":${value}}`,
    says,
    withColumn({name: 'x', type}),
  );

export const ndjson: readonly BadInput[] = [
  line(
    'an unknown member',
    '{"url":"https://b.example/","class":"dead","listed":true}',
    'rows.ndjson:3: row "url, class, listed" is not an object whose members are among url, class, each once',
  ),
  line(
    'a member __proto__',
    '{"url":"https://b.example/","class":"dead","__proto__":{"class":"fraud"}}',
    'rows.ndjson:3: row "url, class, __proto__" is not an object whose members are among url, class, each once',
  ),
  line(
    'a duplicate member',
    '{"url":"https://b.example/","class":"dead","class":"fraud"}',
    'rows.ndjson:3: row "url, class, class" is not an object whose members are among url, class, each once',
  ),
  line(
    'a duplicate member with an escaped name',
    '{"url":"https://b.example/","class":"dead","cl\\u0061ss":"fraud"}',
    'rows.ndjson:3: row "url, class, class" is not an object whose members are among url, class, each once',
  ),
  line('a missing member', '{"url":"https://b.example/"}', 'rows.ndjson:3: class is missing'),
  line('a member null', '{"url":"https://b.example/","class":null}', 'rows.ndjson:3: class is missing'),
  line('an empty object', '{}', ['rows.ndjson:3: url is missing', 'rows.ndjson:3: class is missing']),
  line('a number for a text', '{"url":"https://b.example/","class":1}', [
    'rows.ndjson:3: class "1" is a number, not a text',
    'rows.ndjson:3: class "1" is not one of fraud, dead, unable_verify, soft_fail',
  ]),
  line('true for a text', '{"url":"https://b.example/","class":true}', [
    'rows.ndjson:3: class "true" is not a text',
    'rows.ndjson:3: class "true" is not one of fraud, dead, unable_verify, soft_fail',
  ]),
  line('a list for a text', '{"url":"https://b.example/","class":["dead"]}', [
    'rows.ndjson:3: class "[\\"dead\\"]" is not a text',
    'rows.ndjson:3: class "[\\"dead\\"]" is not one of fraud, dead, unable_verify, soft_fail',
  ]),
  line(
    'an object for a text',
    '{"url":{"href":"https://b.example/"},"class":"dead"}',
    'rows.ndjson:3: url "{\\"href\\":\\"https://b.example/\\"}" is not a text',
  ),
  line(
    'a class that is not in the schema',
    '{"url":"https://b.example/","class":"ded"}',
    'rows.ndjson:3: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  line(
    'an empty text for a class',
    '{"url":"https://b.example/","class":""}',
    'rows.ndjson:3: class "" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  line(
    'a duplicate key',
    '{"url":"https://a.example/","class":"fraud"}',
    'rows.ndjson:3: url "https://a.example/" occurs twice: first in line 1',
  ),
  line('a list', '["https://b.example/","dead"]', 'rows.ndjson:3 is not a JSON object'),
  line('null', 'null', [
    'rows.ndjson:3: row is not an object whose members are among url, class, each once',
    'rows.ndjson:3: url is missing',
    'rows.ndjson:3: class is missing',
  ]),
  line('a text', '"https://b.example/"', 'rows.ndjson:3 is not a JSON object'),
  line('a number', '7', 'rows.ndjson:3 is not a JSON object'),
  line(
    'broken JSON',
    '{"url":"https://b.example/","class":dead}',
    'rows.ndjson:3:37 is not JSON: it has the word dead without quotation marks',
  ),
  line(
    'a cut-off line',
    '{"url":"https://b.example/","cla',
    'rows.ndjson:3:29 is not JSON: it has a text without its second quotation mark',
  ),
  line('a comment', '// note', 'rows.ndjson:3:1 is not JSON: it has a comment, which JSON does not have'),
  line(
    'single quotation marks',
    "{'url':'https://b.example/','class':'dead'}",
    'rows.ndjson:3:2 is not JSON: it has single quotation marks, as Python prints',
  ),
  line(
    'two objects on a line',
    '{"url":"https://b.example/","class":"dead"}{"url":"https://c.example/","class":"dead"}',
    'rows.ndjson:3:44 is not JSON: it has text after the end of its value',
  ),
  line('an object over two lines', '{"url":"https://b.example/",\n"class":"dead"}', [
    'rows.ndjson:3:1 is not JSON: it has a "{" that is not closed',
    'rows.ndjson:4:8 is not JSON: it has text after the end of its value',
  ]),
  line(
    'half a surrogate pair',
    '{"url":"https://b.example/\\ud800","class":"dead"}',
    'rows.ndjson:3: https://b.example/\\ud800 has half of a surrogate pair, which UTF-8 cannot represent',
  ),
  line(
    'half a surrogate pair in a class',
    '{"url":"https://b.example/","class":"\\ud800"}',
    'rows.ndjson:3: \\ud800 has half of a surrogate pair, which UTF-8 cannot represent',
  ),
  line(
    'a NUL in a text',
    '{"url":"https://b.example/","class":"dead\\u0000"}',
    'rows.ndjson:3: class "dead\\u0000" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  line(
    'a line break in a text',
    '{"url":"https://b.example/\t","class":"dead"}',
    'rows.ndjson:3:8 is not JSON: it has a control character within a text',
  ),
  files(
    'with bytes that are not UTF-8',
    {'rows.ndjson': Buffer.from(`${GOOD}{"url":"https://caf\xe9.example/","class":"dead"}\n`, 'latin1')},
    'rows.ndjson:2 has bytes that are not UTF-8',
  ),
  files('with a byte order mark', {'rows.ndjson': `\ufeff${GOOD}`}, 'rows.ndjson:1 starts with a byte order mark'),
  files(
    'with a bad row in a file with CRLF',
    {'rows.ndjson': `${GOOD}\n${GOOD.replace('a.', 'b.').replace('dead', 'ded')}`.replaceAll('\n', '\r\n')},
    'rows.ndjson:3: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  files('that is a JSON array', {'rows.ndjson': `[${GOOD.trim()}]`}, 'rows.ndjson:1 is not a JSON object'),
  files('that is CSV', {'rows.ndjson': 'url,class\nhttps://a.example/,dead\n'}, [
    'rows.ndjson:1:1 is not JSON: it has the word url without quotation marks',
    'rows.ndjson:2:1 is not JSON: it has a name of a member without quotation marks, which JSON does not allow',
  ]),
  files(
    'with a duplicate key in two files',
    {'a.ndjson': GOOD, 'b.ndjson': `\n\n${GOOD}`},
    'b.ndjson:3: url "https://a.example/" occurs twice: first in line 1 of data/sources/deny-list/2026-05-01/a.ndjson',
  ),
  files(
    'with a broken line in the second file',
    {'a.ndjson': GOOD, 'b.ndjson': '\n{\n'},
    'b.ndjson:2:1 is not JSON: it has a "{" that is not closed',
  ),
  files('that is not gzip', {'rows.ndjson.gz': GOOD}, 'rows.ndjson.gz is not gzip: incorrect header check'),
  files(
    'that is cut-off gzip',
    {'rows.ndjson.gz': gzipSync(GOOD).subarray(0, -9)},
    'rows.ndjson.gz is damaged gzip, is cut off, or has bytes after its end',
  ),
  files(
    'with a bad row in gzip',
    {'rows.ndjson.gz': gzipSync(`\n${GOOD.replace('dead', 'ded')}`)},
    'rows.ndjson.gz:2: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  files(
    'that is gzip and does not say so',
    {'rows.ndjson': gzipSync(GOOD)},
    'rows.ndjson:1 has bytes that are not UTF-8',
  ),
  typed('integer', '"1"', 'rows.ndjson:3: x "1" is a text, not an integer'),
  typed('integer', '1.5', 'rows.ndjson:3: x "1.5" is not written as an integer'),
  typed('integer', '9007199254740992', 'rows.ndjson:3: x "9007199254740992" is not an integer within ±(2^53 - 1)'),
  typed('integer', '1e400', 'rows.ndjson:3: x "1e400" has more digits or a larger exponent than a double represents'),
  typed('integer', 'true', 'rows.ndjson:3: x "true" is not an integer'),
  typed('integer', '[]', 'rows.ndjson:3: x "[]" is not an integer'),
  typed('number', '"1.5"', 'rows.ndjson:3: x "1.5" is a text, not a number'),
  typed('number', '1e400', 'rows.ndjson:3: x "1e400" has more digits or a larger exponent than a double represents'),
  typed('number', 'NaN', 'rows.ndjson:3: x "NaN" is not a finite number'),
  typed('number', 'Infinity', 'rows.ndjson:3: x "Infinity" is not a finite number'),
  typed('number', '{}', 'rows.ndjson:3: x "{}" is not a number'),
  typed('boolean', '"true"', 'rows.ndjson:3: x "true" is not a boolean: true or false'),
  typed('boolean', '1', 'rows.ndjson:3: x "1" is not a boolean: true or false'),
  typed('date', '20260101', 'rows.ndjson:3: x "20260101" is not a date that exists, YYYY-MM-DD'),
  typed('date', '"2026-02-30"', 'rows.ndjson:3: x "2026-02-30" is not a date that exists, YYYY-MM-DD'),
  typed('datetime', '1767225600', 'rows.ndjson:3: x "1767225600" is not an existing time, YYYY-MM-DDThh:mm:ss'),
  typed('datetime', '"2026-01-01"', 'rows.ndjson:3: x "2026-01-01" is not an existing time, YYYY-MM-DDThh:mm:ss'),
];
