import type {BadInput} from './bad-input.ts';
import {split, type Files} from './deny-list.ts';

type Says = BadInput['says'];

const GOOD = '{"url":"https://a.example/","class":"dead"}\n';
const files = (name: string, contents: Files, says: Says) => split(name, contents, says, {format: 'json'});
const array = (name: string, text: string | Uint8Array, says: Says) => files(name, {'rows.json': text}, says);

export const json: readonly BadInput[] = [
  array('no bytes', '', 'rows.json is empty'),
  array('blank space only', ' \n', 'rows.json is empty'),
  array('an object', '{"url":"https://a.example/","class":"dead"}', 'rows.json:1 is not a JSON array'),
  array(
    'an object that contains the list',
    '{"rows":[{"url":"https://a.example/","class":"dead"}]}',
    'rows.json:1 is not a JSON array',
  ),
  array('a text', '"rows"', 'rows.json:1 is not a JSON array'),
  array('null', 'null', 'rows.json:1 is not a JSON array'),
  array(
    'objects without a list',
    `${GOOD}${GOOD.replace('a.', 'b.')}`,
    'rows.json:2:1 is not JSON: it has text after the end of its value',
  ),
  array('rows that are lists', '[\n["https://a.example/","dead"]\n]', 'rows.json:2 is not a JSON object'),
  array('a row that is null', '[\n{"url":"https://a.example/","class":"dead"},\nnull]', [
    'rows.json:3: row is not an object whose members are among url, class, each once',
    'rows.json:3: url is missing',
    'rows.json:3: class is missing',
  ]),
  array(
    'a list that is not closed',
    '[\n{"url":"https://a.example/","class":"dead"}\n',
    'rows.json:1:1 is not JSON: it has a "[" that is not closed',
  ),
  array(
    'a list that is cut off after a comma',
    '[\n{"url":"https://a.example/","class":"dead"},\n',
    'rows.json is incomplete: it ends with a comma',
  ),
  array(
    'a comma after the last row',
    '[\n{"url":"https://a.example/","class":"dead"},\n]\n',
    'rows.json:2:44 is not JSON: this comma has no value after it',
  ),
  array(
    'a missing comma',
    '[\n{"url":"https://a.example/","class":"dead"}\n{"url":"https://b.example/","class":"dead"}\n]\n',
    'rows.json:2:44 is not JSON: a comma is missing here',
  ),
  array(
    'a broken row',
    '[\n{"url":"https://a.example/","class":dead}\n]\n',
    'rows.json:2:37 is not JSON: it has the word dead without quotation marks',
  ),
  array(
    'something after the list',
    '[\n{"url":"https://a.example/","class":"dead"}\n]\nx',
    'rows.json:4:1 is not JSON: it has text after the end of its value',
  ),
  array(
    'two lists',
    '[\n{"url":"https://a.example/","class":"dead"}\n]\n[]',
    'rows.json:4:1 is not JSON: it has text after the end of its value',
  ),
  array(
    'bytes that are not UTF-8',
    Buffer.from('[\n{"url":"https://caf\xe9.example/","class":"dead"}\n]', 'latin1'),
    'rows.json:2 has bytes that are not UTF-8',
  ),
  array(
    'a class that is not in the schema',
    '[\n{"url":"https://a.example/","class":"dead"},\n{"url":"https://b.example/",\n"class":"ded"}]',
    'rows.json:3: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  array(
    'a duplicate key',
    '[\n{"url":"https://a.example/","class":"dead"},\n{"url":"https://a.example/","class":"dead"}]',
    'rows.json:3: url "https://a.example/" occurs twice: first in line 2',
  ),
  array(
    'an unknown member',
    '[\n{"url":"https://a.example/","class":"dead","x":1}]',
    'rows.json:2: row "url, class, x" is not an object whose members are among url, class, each once',
  ),
  array(
    'a duplicate member',
    '[\n{"url":"https://a.example/","class":"dead","class":"fraud"}]',
    'rows.json:2: row "url, class, class" is not an object whose members are among url, class, each once',
  ),
  array(
    'a hundred thousand brackets',
    '['.repeat(100_000),
    'rows.json:1: record is nested deeper than 64 levels, the most that JSON may have',
  ),
  array(
    'a hundred thousand lists after a text that ends with its line',
    `[${GOOD},"\n${'['.repeat(100_000)}${']'.repeat(100_000)}]`,
    'rows.json is nested too deeply',
  ),
  files(
    'in two files, the second of which is broken',
    {'a.json': `[${GOOD}]`, 'b.json': '[\n{]'},
    'b.json:2:2 is not JSON: it lacks the name of a member here, in quotation marks',
  ),
  files('that is not gzip', {'a.json.gz': `[${GOOD}]`}, 'a.json.gz is not gzip: incorrect header check'),
];
