import {DENY_CSV, DENY_SCHEMA} from '../site-fixture.ts';
import type {BadInput} from './bad-input.ts';
import {list, rowed, split} from './deny-list.ts';

/** A deny list with a key of addresses, and a pattern that matches every text. */
const ADDRESSES = {
  schema: {
    ...DENY_SCHEMA,
    fields: DENY_SCHEMA.fields.map(field =>
      field.name === 'url' ? {...field, constraints: {pattern: 'https?:.*|.*'}} : field,
    ),
  },
};
const addressed = (name: string, row: string, says: string): BadInput => list(name, DENY_CSV + row, says, ADDRESSES);

export const csv: readonly BadInput[] = [
  list('an empty file', '', 'deny-list.csv is empty: the header is missing'),
  list('blank lines only', '\n\n\n', 'deny-list.csv is empty: the header is missing'),
  list(
    'a file without a header',
    DENY_CSV.slice('url,class\n'.length),
    'deny-list.csv:1: header "https://a.example/,dead" is not url,class',
  ),
  list('a header below a blank line', `\n${DENY_CSV}`, 'deny-list.csv:1: header "" is not url,class'),
  list('a header below a title', `My list\n${DENY_CSV}`, 'deny-list.csv:1: header "My list" is not url,class'),
  list(
    'a header below a row',
    `https://lost.example/,dead,extra\n${DENY_CSV}`,
    'deny-list.csv:1: header "https://lost.example/,dead,extra" is not url,class',
  ),
  list(
    'a header in another order',
    DENY_CSV.replace('url,class', 'class,url'),
    'deny-list.csv:1: header "class,url" is not url,class',
  ),
  list(
    'a header in capitals',
    DENY_CSV.replace('url,class', 'URL,CLASS'),
    'deny-list.csv:1: header "URL,CLASS" is not url,class',
  ),
  list(
    'a header with a space',
    DENY_CSV.replace('url,class', 'url, class'),
    'deny-list.csv:1: header "url, class" is not url,class',
  ),
  list(
    'a header with a duplicate column',
    'url,class,class\nhttps://a.example/,dead,dead\n',
    'deny-list.csv:1: header "url,class,class" is not url,class',
  ),
  list(
    'a header with a column too many',
    'url,class,x\nhttps://a.example/,dead,1\n',
    'deny-list.csv:1: header "url,class,x" is not url,class',
  ),
  list('a header with a column too few', 'url\nhttps://a.example/\n', 'deny-list.csv:1: header "url" is not url,class'),
  list(
    'a header with a column __proto__',
    'url,__proto__\nhttps://a.example/,dead\n',
    'deny-list.csv:1: header "url,__proto__" is not url,class',
  ),
  list(
    'a header with the syntax of SQL',
    'url,"class""; DROP TABLE x; --"\nhttps://a.example/,dead\n',
    'deny-list.csv:1: header "url,\\"class\\"\\"; DROP TABLE x; --\\"" is not url,class',
  ),
  list(
    'a quoted header that is not closed',
    '"url,class\nhttps://a.example/,dead\n',
    'deny-list.csv:1: header "\\"url,class" is not url,class',
  ),
  list(
    'a header that is not UTF-8',
    Buffer.from('url,cl\xe4ss\nhttps://a.example/,dead\n', 'latin1'),
    'deny-list.csv:1: header "url,cl�ss" is not url,class',
  ),
  list(
    'another delimiter than in its descriptor',
    DENY_CSV.replaceAll(',', ';'),
    'deny-list.csv:1: header "url;class" is not url,class',
  ),
  list(
    'UTF-16',
    Buffer.from(`\ufeff${DENY_CSV}`, 'utf16le'),
    'deny-list.csv:1: header "��u\\u0000r\\u0000l\\u0000,\\u0000c\\u0000l\\u0000a\\u0000s\\u0000s\\u0000" is not url,class',
  ),
  list(
    'a picture',
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    'deny-list.csv:1: header "�PNG" is not url,class',
  ),
  rowed(
    'a row that is too short',
    'https://e.example/\n',
    'deny-list.csv:6: row "https://e.example/" has too few values',
  ),
  rowed(
    'a merge conflict',
    '<<<<<<< HEAD\nhttps://e.example/,dead\n=======\nhttps://f.example/,dead\n>>>>>>> other\n',
    [
      'deny-list.csv:6: row "<<<<<<< HEAD" has the two versions of a merge conflict in git',
      'deny-list.csv:8: row "=======" has too few values',
      'deny-list.csv:10: row ">>>>>>> other" has too few values',
    ],
  ),
  rowed(
    'a row that is too long',
    'https://e.example/,dead,x\n',
    'deny-list.csv:6: row "https://e.example/,dead,x" has too many values',
  ),
  rowed(
    'a row that is too long by an empty value',
    'https://e.example/,dead,\n',
    'deny-list.csv:6: row "https://e.example/,dead," has too many values',
  ),
  list(
    'rows that are too long by empty values, among quoted ones',
    'url,class\n"https://a.example/",dead\nhttps://b.example/,dead,,\n"https://c.example/","dead",""\n',
    [
      'deny-list.csv:3: row "https://b.example/,dead," has too many values',
      'deny-list.csv:4: row "https://c.example/,dead," has too many values',
    ],
  ),
  rowed('a row of delimiters', ',,,\n', ['deny-list.csv:6: url is missing', 'deny-list.csv:6: class is missing']),
  rowed(
    'a quotation mark that is not closed',
    '"https://e.example/,dead\n',
    'deny-list.csv:6: row "\\"https://e.example/,dead" has a quotation mark that is not closed, or text after a closing one',
  ),
  list(
    'a quotation mark that is not closed, with rows below',
    `url,class\nhttps://a.example/,dead\n"https://b.example/,dead\nhttps://c.example/,dead\n`,
    'deny-list.csv:3: row "\\"https://b.example/,dead\\nhttps://c.example/,dead" has a quotation mark that is not closed, or text after a closing one',
  ),
  rowed(
    'several spaces before a quotation mark, which DuckDB would sell',
    'https://e.example/, "dead" \nhttps://f.example/,  "dead"\n',
    'deny-list.csv:7: record has a value with several spaces before its quotation mark',
  ),
  rowed(
    'text after a closing quotation mark',
    '"https://e.example/"x,dead\n',
    'deny-list.csv:6: row "\\"https://e.example/\\"x,dead" has a quotation mark that is not closed, or text after a closing one',
  ),
  list(
    'bytes that are not UTF-8',
    Buffer.from(`${DENY_CSV}https://caf\xe9.example/,dead\n`, 'latin1'),
    'deny-list.csv:6: row "https://caf??example/,dead" has bytes that are not UTF-8',
  ),
  list(
    'an overlong UTF-8 sequence',
    Buffer.concat([Buffer.from(`${DENY_CSV}https://e.example/`), Buffer.from([0xc0, 0xaf]), Buffer.from(',dead\n')]),
    'deny-list.csv:6: row "https://e.example/??,dead" has bytes that are not UTF-8',
  ),
  list(
    'half a surrogate pair',
    Buffer.concat([
      Buffer.from(`${DENY_CSV}https://e.example/`),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from(',dead\n'),
    ]),
    'deny-list.csv:6: row "https://e.example/???,dead" has bytes that are not UTF-8',
  ),
  list(
    'a cut-off character at the end',
    Buffer.concat([Buffer.from(`${DENY_CSV}https://e.example/,dead`), Buffer.from([0xe2, 0x82])]),
    'deny-list.csv:6: row "https://e.example/,dead??" has bytes that are not UTF-8',
  ),
  list(
    'bytes that are not UTF-8 in a column that no product sells',
    Buffer.from('url,class,x\nhttps://a.example/,dead,caf\xe9\n', 'latin1'),
    'deny-list.csv:2: row "https://a.example/,dead,caf?" has bytes that are not UTF-8',
    {schema: {...DENY_SCHEMA, fields: [...DENY_SCHEMA.fields, {name: 'x', type: 'string'}]}},
  ),
  rowed(
    'a class that is not in the schema',
    'https://e.example/,sof_fail\n',
    'deny-list.csv:6: class "sof_fail" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  rowed(
    'a class in capitals',
    'https://e.example/,DEAD\n',
    'deny-list.csv:6: class "DEAD" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  rowed(
    'a class with a space',
    'https://e.example/, dead\n',
    'deny-list.csv:6: class " dead" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  rowed(
    'a class __proto__',
    'https://e.example/,__proto__\n',
    'deny-list.csv:6: class "__proto__" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  rowed(
    'a class constructor',
    'https://e.example/,constructor\n',
    'deny-list.csv:6: class "constructor" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  rowed(
    'a class with the syntax of SQL',
    `https://e.example/,"dead'); DROP TABLE rows; --"\n`,
    `deny-list.csv:6: class "dead'); DROP TABLE rows; --" is not one of fraud, dead, unable_verify, soft_fail`,
  ),
  rowed(
    'a class with the syntax of JSON',
    'https://e.example/,"{""fraud"": 1}"\n',
    'deny-list.csv:6: class "{\\"fraud\\": 1}" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  rowed(
    'a class with a NUL',
    'https://e.example/,dead\u0000\n',
    'deny-list.csv:6: class "dead\\u0000" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  rowed(
    'a class with an escape sequence of terminals',
    'https://e.example/,\u001b[2Jdead\n',
    'deny-list.csv:6: class "\\u001b[2Jdead" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  rowed(
    'a class with control characters beyond ASCII',
    'https://e.example/,\u009b2Jdead\u202e\n',
    'deny-list.csv:6: class "\\u009b2Jdead\\u202e" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  rowed('a missing class', 'https://e.example/,\n', 'deny-list.csv:6: class is missing'),
  rowed('a missing key', ',dead\n', 'deny-list.csv:6: url is missing'),
  rowed('a quoted, empty key', '"",dead\n', 'deny-list.csv:6: url is missing'),
  rowed(
    'a duplicate key',
    'https://a.example/,fraud\n',
    'deny-list.csv:6: url "https://a.example/" occurs twice: first in line 2',
  ),
  rowed('a key thrice', 'https://a.example/,fraud\nhttps://a.example/,fraud\n', [
    'deny-list.csv:6: url "https://a.example/" occurs twice: first in line 2',
    'deny-list.csv:7: url "https://a.example/" occurs twice: first in line 2',
  ]),
  rowed(
    'a duplicate row',
    'https://a.example/,dead\n',
    'deny-list.csv:6: url "https://a.example/" occurs twice: first in line 2',
  ),
  split(
    'a duplicate key in two files',
    {'a.csv': DENY_CSV, 'b.csv': 'url,class\nhttps://z.example/,dead\nhttps://c.example/,dead\n'},
    'b.csv:3: url "https://c.example/" occurs twice: first in line 4 of data/sources/deny-list/2026-05-01/a.csv',
  ),
  split(
    'a duplicate key in two files after blank lines and quoted line breaks',
    {
      'a.csv': 'url,class\n\n"https://x.example/\n",dead\nhttps://c.example/,dead\n',
      'b.csv': 'url,class\n\n\nhttps://c.example/,dead\n',
    },
    'b.csv:4: url "https://c.example/" occurs twice: first in line 5 of data/sources/deny-list/2026-05-01/a.csv',
  ),
  list(
    'a duplicate value in a unique column',
    'url,class,x\nhttps://a.example/,dead,1\nhttps://b.example/,dead,\nhttps://c.example/,dead,1\nhttps://d.example/,dead,\n',
    'deny-list.csv:4: x "1" occurs twice: first in line 2',
    {
      schema: {
        ...DENY_SCHEMA,
        fields: [...DENY_SCHEMA.fields, {name: 'x', type: 'string', constraints: {unique: true}}],
      },
    },
  ),
  addressed(
    'an invalid address',
    'not an address,soft_fail\n',
    'deny-list.csv:6: url "not an address" is not an absolute web address',
  ),
  addressed(
    'an address that is a script',
    'javascript:alert(1),soft_fail\n',
    'deny-list.csv:6: url "javascript:alert(1)" is not an absolute web address',
  ),
  addressed(
    'an address with a space of Unicode',
    'https://e.example/x\u00a0y,soft_fail\n',
    'deny-list.csv:6: url "https://e.example/x\\u00a0y" is not an absolute web address',
  ),
  addressed('a relative address', '/x,soft_fail\n', 'deny-list.csv:6: url "/x" is not an absolute web address'),
  rowed(
    'a bad row after blank lines',
    '\n\nhttps://e.example/,ded\n',
    'deny-list.csv:8: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  rowed(
    'a bad row after a quoted line break',
    '"https://e.example/\n\nx",dead\nhttps://f.example/,ded\n',
    'deny-list.csv:9: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  rowed(
    'a bad row that has a quoted line break itself',
    '"https://e.example/\n\nx",ded\n',
    'deny-list.csv:6: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  rowed(
    'a bad row after quoted quotation marks',
    '"https://e.example/""\n"",x",dead\nhttps://f.example/,ded\n',
    'deny-list.csv:8: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  list(
    'a bad row in a file with CRLF',
    `${DENY_CSV}\n"https://e.example/\n",dead\nhttps://f.example/,ded\n`.replaceAll('\n', '\r\n'),
    'deny-list.csv:9: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  list(
    'a row too short in a file with CRLF',
    `${DENY_CSV}https://f.example/\n`.replaceAll('\n', '\r\n'),
    'deny-list.csv:6: row "https://f.example/" has too few values',
  ),
  list(
    'a bad row in a file with CR only',
    `${DENY_CSV}https://f.example/,ded\n`.replaceAll('\n', '\r'),
    'deny-list.csv:6: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  list(
    'a bad row in a file with mixed line ends',
    `${DENY_CSV}https://e.example/,ded\r\nhttps://f.example/,ded\n`,
    'deny-list.csv:6 ends with CR LF, and the header with LF',
  ),
  list(
    'a line end in quotation marks in a file with CRLF, and one LF',
    `${DENY_CSV}"https://e.example/`.replaceAll('\n', '\r\n') + '\n",dead\nhttps://f.example/,dead\r\n',
    'deny-list.csv:7 ends with LF, and the header with CR LF',
  ),
  list(
    'a bad row in a file with a byte order mark',
    `\ufeff${DENY_CSV}https://f.example/,ded\n`,
    'deny-list.csv:6: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  list(
    'a bad row without a line end',
    `${DENY_CSV}https://f.example/,ded`,
    'deny-list.csv:6: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  list(
    'a short row after a bad row, and a bad row after it',
    `${DENY_CSV}https://e.example/,ded\nhttps://f.example/\nhttps://g.example/,ded\n`,
    [
      'deny-list.csv:6: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'deny-list.csv:7: row "https://f.example/" has too few values',
      'deny-list.csv:8: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
    ],
  ),
  split(
    'bad rows in each of three files',
    {
      'a.csv': 'url,class\nhttps://a.example/,1\n',
      'b.csv': 'url,class\nhttps://b.example/,dead\nhttps://c.example/,2\n',
      'c.csv': 'url,class\n\nhttps://d.example/,3\n',
    },
    [
      'a.csv:2: class "1" is not one of fraud, dead, unable_verify, soft_fail',
      'b.csv:3: class "2" is not one of fraud, dead, unable_verify, soft_fail',
      'c.csv:3: class "3" is not one of fraud, dead, unable_verify, soft_fail',
    ],
  ),
  split(
    'a bad header in the second of two files',
    {'a.csv': DENY_CSV, 'b.csv': 'uri,class\nhttps://b.example/,dead\n'},
    'b.csv:1: header "uri,class" is not url,class',
  ),
  split('an empty second file', {'a.csv': DENY_CSV, 'b.csv': ''}, 'b.csv is empty: the header is missing'),
  split(
    'a short row in the second of two files',
    {'a.csv': DENY_CSV, 'b.csv': 'url,class\n\nhttps://b.example/\n'},
    'b.csv:3: row "https://b.example/" has too few values',
  ),
  split(
    'a bad row in a file that SQL would trip over',
    {"a'b $(x) %.csv": `${DENY_CSV}https://e.example/,ded\n`},
    `a'b $(x) %.csv:6: class "ded" is not one of fraud, dead, unable_verify, soft_fail`,
  ),
  list(
    'a line of more than 1 MiB',
    `${DENY_CSV}https://e.example/${'x'.repeat(3 << 20)},dead\n`,
    'deny-list.csv:6: record is longer than 1 MiB, the most that a record may have',
  ),
  list(
    'a line of more than is read at a time',
    `${DENY_CSV}https://e.example/${'x'.repeat(5 << 20)},dead\n`,
    'deny-list.csv:6: record is longer than 1 MiB, the most that a record may have',
  ),
];
