import {mkdir, rename, rm, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {CLASS_SHARE, DENY_CSV} from '../site-fixture.ts';
import {below, DENY, type BadInput} from './bad-input.ts';

const FOLDER = 'data/sources/deny-list/2026-05-01';
const FILE = `${FOLDER}/datapackage.json`;
const written = (name: string, content: string | Uint8Array | object, says: BadInput['says']): BadInput => ({
  name,
  breaks: site => site.write(FILE, content),
  says: below(FOLDER, says),
});
/** Replaces members of a descriptor. */
const having = (name: string, descriptor: object, says: BadInput['says']): BadInput => ({
  name,
  breaks: site => site.freeze({...DENY, descriptor}),
  says: below(FOLDER, says),
});
/** Replaces members of the resource of a descriptor. */
const holding = (name: string, resource: object, says: BadInput['says']): BadInput => ({
  name,
  breaks: site => site.freeze({...DENY, resource}),
  says: below(FOLDER, says),
});
const pathed = (path: string): BadInput =>
  holding(
    `the path ${JSON.stringify(path)}`,
    {path},
    `datapackage.json:7: resources[0].path ${JSON.stringify(path)} is not a relative path inside the freeze: no leading "/", no part that starts with ".", no address, no wildcard`,
  );
const moment = (field: 'created' | 'as_of', value: unknown): BadInput =>
  having(
    `${field} ${JSON.stringify(value)}`,
    {[field]: value},
    `datapackage.json:${field === 'created' ? 2 : 3}: ${field} ${JSON.stringify(value)} is not a valid time in UTC${
      field === 'created' ? ', such as 2026-05-01T09:30:00Z' : ' with milliseconds, such as 2026-05-01T12:00:00.000Z'
    }`,
  );

export const descriptors: readonly BadInput[] = [
  {
    name: 'a freeze without it',
    breaks: site => rm(join(site.root, FILE)),
    says: 'data/sources/deny-list/2026-05-01/datapackage.json does not exist',
  },
  {
    name: 'a source without a freeze',
    breaks: site => rm(join(site.root, FOLDER), {recursive: true}),
    says: 'data/sources/deny-list does not contain a freeze',
  },
  {
    name: 'a source that is a file',
    breaks: async site => {
      await rm(join(site.root, 'data/sources/deny-list'), {recursive: true});
      await site.write('data/sources/deny-list', DENY_CSV);
    },
    says: 'data/products/soft-fail-3.json:5: source "deny-list" is not a folder in data/sources',
  },
  {
    name: 'no sources at all',
    breaks: site => rm(join(site.root, 'data/sources'), {recursive: true}),
    says: [
      'data/products/first-last-same.json:5: source "verified-list" is not a folder in data/sources',
      'data/products/soft-fail-3.json:5: source "deny-list" is not a folder in data/sources',
      'data/products/webhook-bundle.json:5: source "webhook-events" is not a folder in data/sources',
    ],
  },
  written('an empty file', '', 'datapackage.json is empty'),
  written(
    'broken JSON',
    '{\n  "created": "2026-05-01T00:00:00Z",,\n}',
    'datapackage.json:2:37 is not JSON: this comma has no value before it',
  ),
  written('a list', '[]', 'datapackage.json:1: [] is not of type object'),
  written('an empty object', '{}', [
    'datapackage.json:1: created is missing',
    'datapackage.json:1: as_of is missing',
    'datapackage.json:1: resources is missing',
  ]),
  written(
    'bytes that are not UTF-8',
    Buffer.from('{\n\n"name": "\xff"}', 'latin1'),
    'datapackage.json:3 has bytes that are not UTF-8',
  ),
  written(
    'a duplicate hash',
    `{\n"resources": [{\n"hash": "sha256:${'0'.repeat(64)}",\n"hash": "sha256:${'1'.repeat(64)}"}]}`,
    'datapackage.json:4: hash occurs twice in one object',
  ),
  having(
    'an unknown member',
    {createed: 'x'},
    'datapackage.json:37: createed is not a known field; did you mean created?',
  ),
  having('a member that claims a listing', {listed: true}, 'datapackage.json:37: listed is not a known field'),
  holding(
    'an unknown member of the resource',
    {data: []},
    'datapackage.json:35: resources[0].data is not a known field',
  ),
  holding(
    'foreign keys, which it does not check',
    {schema: {...DENY.schema, foreignKeys: []}},
    'datapackage.json:34: resources[0].schema.foreignKeys is not a known field',
  ),
  holding(
    'a member __proto__',
    JSON.parse('{"__proto__": {"rows": 1}}') as object,
    'datapackage.json:35: resources[0].__proto__ is not a known field',
  ),
  moment('created', '2026-05-01'),
  moment('created', '2026-05-01T00:00:00'),
  moment('created', '2026-05-01T00:00:00+02:00'),
  moment('created', '2026-02-30T00:00:00Z'),
  moment('created', '2026-13-01T00:00:00Z'),
  moment('created', '2026-05-01T25:00:00Z'),
  moment('created', '2026-05-01T24:00:00Z'),
  moment('created', '2025-12-31T23:59:60Z'),
  moment('created', '0000-00-00T00:00:00Z'),
  moment('created', ''),
  moment('created', 1777593600),
  moment('as_of', '2026-05-01T12:00:00Z'),
  moment('as_of', '2026-05-01T12:00:00.000'),
  moment('as_of', '2026-05-01T12:00:00.000+00:00'),
  moment('as_of', '2026-02-30T12:00:00.000Z'),
  moment('as_of', '2026-05-01T24:00:00.000Z'),
  moment('as_of', '2026-05-01T12:00:60.000Z'),
  moment('as_of', '2026-05-01 12:00:00.000Z'),
  moment('as_of', '2026-5-1T12:00:00.000Z'),
  moment('as_of', '+010000-01-01T00:00:00.000Z'),
  moment('as_of', 'May 1, 2026'),
  moment('as_of', 1777636800000),
  having('no as_of', {as_of: undefined}, 'datapackage.json:1: as_of is missing'),
  having(
    'an as_of of another day',
    {as_of: '2026-05-02T12:00:00.000Z'},
    `datapackage.json:3: as_of "2026-05-02T12:00:00.000Z" is not on the date of the folder, 2026-05-01`,
  ),
  having(
    'a list made after as_of',
    {created: '2026-05-01T12:00:00.001Z'},
    'datapackage.json:2: created "2026-05-01T12:00:00.001Z" is after as_of, 2026-05-01T12:00:00.000Z',
  ),
  {
    name: 'a freeze in a folder that is not a date',
    breaks: site => rename(join(site.root, FOLDER), join(site.root, 'data/sources/deny-list/latest')),
    says: 'data/sources/deny-list/latest is not a date that exists, YYYY-MM-DD, as the folder of a freeze must be',
  },
  {
    name: 'a freeze in a folder of a day that does not exist',
    breaks: site => site.freeze({...DENY, date: '2026-02-30'}),
    says: 'data/sources/deny-list/2026-02-30 is not a date that exists, YYYY-MM-DD, as the folder of a freeze must be',
  },
  {
    name: 'a copy of a freeze under another date, which would have the same as_of',
    breaks: site =>
      site.freeze({
        ...DENY,
        date: '2026-06-01',
        descriptor: {created: '2026-05-01T00:00:00Z', as_of: '2026-05-01T12:00:00.000Z'},
      }),
    says: `data/sources/deny-list/2026-06-01/datapackage.json:3: as_of "2026-05-01T12:00:00.000Z" is not on the date of the folder, 2026-06-01`,
  },
  {
    name: 'a freeze that is a link to another',
    breaks: site => symlink('2026-05-01', join(site.root, 'data/sources/deny-list/2026-06-01')),
    says: 'data/sources/deny-list/2026-06-01 is a link, and must be a folder',
  },
  {
    name: 'a source that is a link out of data/',
    breaks: async site => {
      await rename(join(site.root, 'data/sources/deny-list'), join(site.root, 'elsewhere'));
      await symlink('../../elsewhere', join(site.root, 'data/sources/deny-list'));
    },
    says: 'data/sources/deny-list is a link that leads out of data/sources',
  },
  {
    name: 'an earlier freeze that is broken, though a later one is published',
    breaks: site =>
      site.freeze({...DENY, date: '2026-04-01', files: {'deny-list.csv': 'url,class\nhttps://a.example/,ded\n'}}),
    says: 'data/sources/deny-list/2026-04-01/deny-list.csv:2: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  },
  {
    name: 'a pinned freeze with a later sibling without a descriptor',
    breaks: async site => {
      await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, freeze: '2026-05-01'});
      await mkdir(join(site.root, 'data/sources/deny-list/2026-06-01'));
    },
    says: 'data/sources/deny-list/2026-06-01/datapackage.json does not exist',
  },
  having(
    'resources that are not a list',
    {resources: {}},
    'datapackage.json:4: resources {} is not a list of exactly one resource',
  ),
  having('no resource', {resources: []}, 'datapackage.json:4: resources [] is an empty list'),
  having('two resources', {resources: [{}, {}]}, [
    'datapackage.json:4: resources [{},{}] is not a list of exactly one resource',
    'datapackage.json:5: resources[0].name is missing',
    'datapackage.json:5: resources[0].path is missing',
    'datapackage.json:5: resources[0].format is missing',
    'datapackage.json:5: resources[0].bytes is missing',
    'datapackage.json:5: resources[0].hash is missing',
    'datapackage.json:6: resources[1].name is missing',
    'datapackage.json:6: resources[1].path is missing',
    'datapackage.json:6: resources[1].format is missing',
    'datapackage.json:6: resources[1].bytes is missing',
    'datapackage.json:6: resources[1].hash is missing',
  ]),
  having('a resource that is null', {resources: [null]}, 'datapackage.json:5: resources[0] null is not of type object'),
  ...[
    '/etc/passwd',
    '//server/share',
    '../deny-list.csv',
    'a/../../../../../etc/passwd',
    'a/..',
    '..',
    '.',
    './deny-list.csv',
    '.git/config',
    'a/.hidden/rows.csv',
    'https://test.example/deny-list.csv',
    'file:///etc/passwd',
    's3://bucket/rows.csv',
    'C:\\rows.csv',
    'a\\rows.csv',
    '*.csv',
    'deny-list.*',
    'deny-list.cs?',
    'deny-list.[c]sv',
    '{deny-list,other}.csv',
    '**/rows.csv',
    'deny\nlist.csv',
    '',
  ].map(pathed),
  holding(
    'a path with an invisible character',
    {path: 'deny\u0000.csv'},
    'datapackage.json:7: resources[0].path "deny\\u0000.csv" has the invisible character U+0000 at position 5',
  ),
  holding(
    'a path of 1001 characters',
    {path: 'x'.repeat(1001)},
    'datapackage.json:7: resources[0].path "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… is not a relative path inside the freeze: no leading "/", no part that starts with ".", no address, no wildcard',
  ),
  holding(
    'a path of 300 characters, more than a file name may have',
    {path: 'x'.repeat(300)},
    'datapackage.json:7: resources[0].path "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… cannot be read (ENAMETOOLONG)',
  ),
  holding('no path', {path: undefined}, 'datapackage.json:5: resources[0].path is missing'),
  holding('an empty list of paths', {path: []}, 'datapackage.json:7: resources[0].path [] is an empty list'),
  holding(
    'a duplicate path',
    {path: ['deny-list.csv', 'deny-list.csv']},
    'datapackage.json:7: resources[0].path ["deny-list.csv","deny-list.csv"] contains "deny-list.csv" twice',
  ),
  holding(
    'one path that leads out among others',
    {path: ['deny-list.csv', '../x.csv']},
    'datapackage.json:9: resources[0].path[1] "../x.csv" is not a relative path inside the freeze: no leading "/", no part that starts with ".", no address, no wildcard',
  ),
  holding('paths that are numbers', {path: [1, 2]}, [
    'datapackage.json:8: resources[0].path[0] 1 is not a relative path inside the freeze: no leading "/", no part that starts with ".", no address, no wildcard',
    'datapackage.json:9: resources[0].path[1] 2 is not a relative path inside the freeze: no leading "/", no part that starts with ".", no address, no wildcard',
  ]),
  holding(
    'a file that is missing',
    {path: 'rows.csv'},
    'datapackage.json:7: resources[0].path "rows.csv" does not exist',
  ),
  holding('one missing file among others', {path: ['deny-list.csv', 'more.csv', 'most.csv']}, [
    'datapackage.json:9: resources[0].path[1] "more.csv" does not exist',
    'datapackage.json:10: resources[0].path[2] "most.csv" does not exist',
  ]),
  holding(
    'a path with the syntax of SQL',
    {path: "x'); DROP TABLE rows; --.csv"},
    `datapackage.json:7: resources[0].path "x'); DROP TABLE rows; --.csv" does not exist`,
  ),
  holding(
    'a path that goes through a file',
    {path: 'deny-list.csv/rows.csv'},
    'datapackage.json:7: resources[0].path "deny-list.csv/rows.csv" does not exist',
  ),
  {
    name: 'a folder as a file of rows',
    breaks: async site => {
      await site.write(`${FOLDER}/more/x.csv`, DENY_CSV);
      await site.freeze({...DENY, resource: {path: 'more'}});
    },
    says: 'data/sources/deny-list/2026-05-01/datapackage.json:7: resources[0].path "more" is not a file',
  },
  {
    name: 'a link to a file outside of the freeze',
    breaks: async site => {
      await rename(join(site.root, FOLDER, 'deny-list.csv'), join(site.root, 'deny-list.csv'));
      await symlink('../../../../deny-list.csv', join(site.root, FOLDER, 'deny-list.csv'));
    },
    says: 'data/sources/deny-list/2026-05-01/datapackage.json:7: resources[0].path "deny-list.csv" leads out of the freeze',
  },
  {
    name: 'a link to a file by its absolute path',
    breaks: async site => {
      await rm(join(site.root, FOLDER, 'deny-list.csv'));
      await symlink('/etc/passwd', join(site.root, FOLDER, 'deny-list.csv'));
    },
    says: 'data/sources/deny-list/2026-05-01/datapackage.json:7: resources[0].path "deny-list.csv" leads out of the freeze',
  },
  {
    name: 'a link to a folder outside of the freeze',
    breaks: async site => {
      await site.write('elsewhere/deny-list.csv', DENY_CSV);
      await symlink('../../../../elsewhere', join(site.root, FOLDER, 'parts'));
      await site.freeze({...DENY, resource: {path: 'parts/deny-list.csv'}});
      await rm(join(site.root, FOLDER, 'deny-list.csv'));
    },
    says: 'data/sources/deny-list/2026-05-01/datapackage.json:7: resources[0].path "parts/deny-list.csv" leads out of the freeze',
  },
  {
    name: 'a link to another freeze of the source',
    breaks: async site => {
      await site.freeze({...DENY, date: '2026-04-01'});
      await rm(join(site.root, FOLDER, 'deny-list.csv'));
      await symlink('../2026-04-01/deny-list.csv', join(site.root, FOLDER, 'deny-list.csv'));
    },
    says: 'data/sources/deny-list/2026-05-01/datapackage.json:7: resources[0].path "deny-list.csv" leads out of the freeze',
  },
  {
    name: 'a link to a folder with a name that starts with that of the freeze',
    breaks: async site => {
      await site.write('data/sources/deny-list/2026-05-01-old/deny-list.csv', DENY_CSV);
      await rm(join(site.root, FOLDER, 'deny-list.csv'));
      await symlink('../2026-05-01-old/deny-list.csv', join(site.root, FOLDER, 'deny-list.csv'));
    },
    says: 'data/sources/deny-list/2026-05-01-old is not a date that exists, YYYY-MM-DD, as the folder of a freeze must be',
  },
  {
    name: 'a link to itself',
    breaks: async site => {
      await rm(join(site.root, FOLDER, 'deny-list.csv'));
      await symlink('deny-list.csv', join(site.root, FOLDER, 'deny-list.csv'));
    },
    says: 'data/sources/deny-list/2026-05-01/datapackage.json:7: resources[0].path "deny-list.csv" cannot be read (ELOOP)',
  },
  {
    name: 'a device',
    breaks: async site => {
      await rm(join(site.root, FOLDER, 'deny-list.csv'));
      await symlink('/dev/zero', join(site.root, FOLDER, 'deny-list.csv'));
    },
    says: 'data/sources/deny-list/2026-05-01/datapackage.json:7: resources[0].path "deny-list.csv" leads out of the freeze',
  },
  holding(
    'an unknown format',
    {format: 'xlsx'},
    'datapackage.json:8: resources[0].format "xlsx" is not one of csv, ndjson, json, parquet',
  ),
  holding(
    'a format in capitals',
    {format: 'CSV'},
    'datapackage.json:8: resources[0].format "CSV" is not one of csv, ndjson, json, parquet',
  ),
  holding('no format', {format: undefined}, 'datapackage.json:5: resources[0].format is missing'),
  holding(
    'another encoding',
    {encoding: 'latin1'},
    'datapackage.json:35: resources[0].encoding "latin1" is not one of utf-8, UTF-8',
  ),
  holding('no size', {bytes: undefined}, 'datapackage.json:5: resources[0].bytes is missing'),
  holding(
    'a size that is not whole',
    {bytes: 1.5},
    'datapackage.json:9: resources[0].bytes 1.5 is not a whole number from 0',
  ),
  holding('a negative size', {bytes: -1}, 'datapackage.json:9: resources[0].bytes -1 is not a whole number from 0'),
  holding(
    'a wrong size',
    {bytes: 5},
    'deny-list.csv: size 117 is not the 5 bytes of data/sources/deny-list/2026-05-01/datapackage.json: a freeze is never edited',
  ),
  holding('no digest', {hash: undefined}, 'datapackage.json:5: resources[0].hash is missing'),
  holding(
    'a wrong digest',
    {hash: `sha256:${'0'.repeat(64)}`},
    'deny-list.csv: sha256 "36a053cd09e63384680787926fa0984f0e475f8980c6fc82e5a5f9e830e8cffb" is not the hash in data/sources/deny-list/2026-05-01/datapackage.json: a freeze is never edited',
  ),
  holding(
    'a digest in capitals',
    {hash: `sha256:${'A'.repeat(64)}`},
    'datapackage.json:10: resources[0].hash "sha256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" is not "sha256:" and 64 lower-case hexadecimal digits',
  ),
  holding(
    'a digest of another kind',
    {hash: 'md5:d41d8cd98f00b204e9800998ecf8427e'},
    'datapackage.json:10: resources[0].hash "md5:d41d8cd98f00b204e9800998ecf8427e" is not "sha256:" and 64 lower-case hexadecimal digits',
  ),
  holding(
    'a digest without its kind',
    {hash: '0'.repeat(64)},
    'datapackage.json:10: resources[0].hash "0000000000000000000000000000000000000000000000000000000000000000" is not "sha256:" and 64 lower-case hexadecimal digits',
  ),
  {
    name: 'a freeze that was edited afterwards, though its size is the same',
    breaks: site => site.write(`${FOLDER}/deny-list.csv`, DENY_CSV.replace('https://b.example/', 'https://x.example/')),
    says: 'data/sources/deny-list/2026-05-01/deny-list.csv: sha256 "1a97de5cb9ebc03e47ac78aad47366d1d0922fcd182fb06e84270c7625fb0ed7" is not the hash in data/sources/deny-list/2026-05-01/datapackage.json: a freeze is never edited',
  },
  {
    name: 'a freeze to which a row was added',
    breaks: site => site.write(`${FOLDER}/deny-list.csv`, `${DENY_CSV}https://e.example/,dead\n`),
    says: 'data/sources/deny-list/2026-05-01/deny-list.csv: size 141 is not the 117 bytes of data/sources/deny-list/2026-05-01/datapackage.json: a freeze is never edited',
  },
  {
    name: 'a freeze with files in another order',
    breaks: async site => {
      const files = {'a.csv': DENY_CSV, 'b.csv': 'url,class\nhttps://e.example/,dead\n'};
      await site.freeze({...DENY, files});
      await site.freeze({
        ...DENY,
        files: {'b.csv': files['b.csv'], 'a.csv': files['a.csv']},
        resource: {path: ['a.csv', 'b.csv']},
      });
    },
    says: 'data/sources/deny-list/2026-05-01/a.csv: sha256 "66394d700cd4d989fbf734e1a662a87a95bfca6a0f2931b7407cf8ca5d2b9e8c" is not the hash in data/sources/deny-list/2026-05-01/datapackage.json: a freeze is never edited',
  },
  {
    name: 'a freeze that was edited and has bad rows, and reports both',
    breaks: site => site.write(`${FOLDER}/deny-list.csv`, DENY_CSV.replace('dead', 'ded')),
    says: [
      'data/sources/deny-list/2026-05-01/deny-list.csv: size 116 is not the 117 bytes of data/sources/deny-list/2026-05-01/datapackage.json: a freeze is never edited',
      'data/sources/deny-list/2026-05-01/deny-list.csv:2: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
    ],
  },
  {
    name: 'events that were edited afterwards',
    breaks: site => site.write('data/sources/webhook-events/2026-05-01/webhook-events.json', '[]'),
    says: 'data/sources/webhook-events/2026-05-01/webhook-events.json: size 2 is not the 148 bytes of data/sources/webhook-events/2026-05-01/datapackage.json: a freeze is never edited',
  },
  holding(
    'a wrong number of rows',
    {rows: 5},
    'datapackage.json:35: resources[0].rows 5 is not the number of rows read, 4',
  ),
  holding(
    'a negative number of rows',
    {rows: -4},
    'datapackage.json:35: resources[0].rows -4 is not a whole number from 0',
  ),
  holding(
    'a dialect without a header',
    {dialect: {header: false}},
    'datapackage.json:36: resources[0].dialect.header false is not true',
  ),
  holding(
    'a delimiter of two characters',
    {dialect: {delimiter: '||'}},
    'datapackage.json:36: resources[0].dialect.delimiter "||" is not one of , ; | and tab',
  ),
  holding(
    'a delimiter that is a quotation mark',
    {dialect: {delimiter: '"'}},
    'datapackage.json:36: resources[0].dialect.delimiter "\\"" is not one of , ; | and tab',
  ),
  holding(
    'another quotation mark',
    {dialect: {quoteChar: "'"}},
    'datapackage.json:36: resources[0].dialect.quoteChar is not a known field',
  ),
  holding(
    'a delimiter that the file does not have',
    {dialect: {delimiter: ';'}},
    'deny-list.csv:1: header "url,class" is not url;class',
  ),
];
