import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {describe, test} from 'node:test';
import {gzipSync} from 'node:zlib';
import {freezeFixture} from './freeze-fixture.ts';

const LATIN = 'name,capital\nCuraçao,Willemstad\nÅland,Mariehamn\nSão Tomé,São Tomé\n';
/** Japan and Tokyo, and the name of the language. */
const SHIFT_JIS = Buffer.from('93fa967b2c938c8b9e0a93fa967b8cea2c82d082e782aa82c882c68abf8e9a0a', 'hex');
/** Five titles in hiragana. The second byte of a letter and the first of the next one look like UTF-8. */
const HIRAGANA = Buffer.from(
  '82cd82c882cc82d982f10a82b382ad82e782cc82cd82c80a82cd82e982cc82a482dd82d082cb82e082b782cc82bd82e882cc82bd82e882a982c80a82b182c682ce82cc82e082e80a82c882c282cc82e682cc82e482df0a',
  'hex',
);
const RUSSIAN = Buffer.from('f0d2c9d7c5d4206dc9d2cbc1cbc4c5cccd2cf2cfd3d3c9d10a', 'hex');

/** Bytes by the encoding that the message suggests. */
const CASES: readonly (readonly [encoding: string, file: string, bytes: Buffer, line?: number])[] = [
  ['WINDOWS-1252', 'list.csv', Buffer.from(LATIN, 'latin1'), 2],
  ['WINDOWS-1252', 'one.csv', Buffer.from('a,name\n\xff,x\n', 'latin1'), 2],
  ['WINDOWS-1252', 'lone.csv', Buffer.from('name,city\nCaf\xe9,Lyon\n', 'latin1'), 2],
  ['WINDOWS-1252', 'my list.csv', Buffer.from('numéro,name\n1,Saint-Étienne\n', 'latin1'), 1],
  ['WINDOWS-1252', "Bob's list.csv", Buffer.from(LATIN, 'latin1'), 2],
  ['MACINTOSH', 'mac.csv', Buffer.from('name,city\rCaf\x8e,Lyon\rB\x8ele,Basel\r', 'latin1'), 2],
  ['WINDOWS-1252', 'list.ndjson', Buffer.from('{"name": "Curaçao"}\n{"name": "Åland"}\n', 'latin1'), 1],
  ['WINDOWS-1252', 'list.json', Buffer.from('[{"name": "Curaçao"},\n{"name": "Åland"}]\n', 'latin1'), 1],
  ['WINDOWS-1252', 'list.csv.gz', gzipSync(Buffer.from(LATIN, 'latin1')), 2],
  ['UTF-16', 'list.csv', Buffer.from(`\ufeff${LATIN}`, 'utf16le')],
  ['UTF-16LE', 'list.csv', Buffer.from(LATIN, 'utf16le')],
  ['UTF-32', 'list.csv', Buffer.from(Uint32Array.from(`\ufeff${LATIN}`, letter => letter.codePointAt(0) ?? 0).buffer)],
  ['SHIFT_JIS', 'list.csv', Buffer.concat([Buffer.from('name,capital\n'), SHIFT_JIS]), 2],
  ['SHIFT_JIS', 'titles.csv', Buffer.concat([Buffer.from('name\n'), HIRAGANA]), 2],
  ['KOI8-R', 'list.csv', Buffer.concat([Buffer.from('name,country\n'), RUSSIAN]), 2],
];

describe('a list that is not UTF-8 is refused with the command that converts it', () => {
  for (const [encoding, name, bytes, line] of CASES) {
    test(`${encoding} in ${name}`, async () => {
      await using fixture = await freezeFixture();
      const path = await fixture.list(name, bytes);
      const {code, err, remedies = ''} = await fixture.freeze('things', path, '--as-of', '2026-05-01');
      assert.equal(code, 1);
      assert.equal(remedies.split('\n').filter(each => each.includes('iconv')).length, 1, remedies);
      const place = line === undefined ? path : `${path}:${line}`;
      assert.ok(err.startsWith(place), err);
      const [, looks] = /not UTF-8, and looks like (\S+)$/m.exec(err) ?? [];
      const [, command = ''] = /Convert it with `(.*)`\.$/m.exec(remedies) ?? [];
      assert.equal(looks, encoding, err);
      execFileSync('sh', ['-c', command], {cwd: fixture.lists});
      const [, target = ''] = / > (.*)$/.exec(command) ?? [];
      const made = execFileSync('sh', ['-c', `printf %s ${target}`], {encoding: 'utf8'});
      const again = await fixture.freeze('things', `${fixture.lists}/${made}`, '--as-of', '2026-05-01');
      assert.equal(again.code, 0, again.err);
    });
  }
});

describe('words of an unknown encoding are refused without a command, which could make other texts of them', () => {
  for (const [encoding, text] of [
    ['Shift_JIS', 'date,age\n1,10\x91\xe3\n2,20\x91\xe3\n'],
    ['Shift_JIS that looks like Cyrillic', 'id,name\n1,\x82\xcd\x82\xc8\x82\xcc\x82\xd9\n'],
    ['CP850', 'id,name\n1,M\x81ller\n2,K\x94ln\n3,D\x81sseldorf\n'],
    ['WINDOWS-1250', 'id,name\n1,\x8fr\xf3d\xb3o\n'],
    ['WINDOWS-1252 with a damaged byte', 'id,name\n1,M\xfcller\n2,K\xf6ln\n3,J\x81ger\n'],
  ] as const)
    test(encoding, async () => {
      await using fixture = await freezeFixture();
      const list = await fixture.list('list.csv', Buffer.from(text, 'latin1'));
      const {code, err, remedies = ''} = await fixture.freeze('things', list);
      assert.equal(code, 1);
      assert.match(err, /:2: row "1,.*" has bytes that are not UTF-8$/m);
      assert.doesNotMatch(remedies, /iconv/);
    });
});

test('a list that is UTF-8 except for a few bytes is refused without a command, which would change its other words', async () => {
  await using fixture = await freezeFixture();
  const rows = Array.from({length: 5000}, (_, row) => `${row},Zürich\n`).join('');
  for (const [start, end] of [
    [`name,v\n${rows}9,`, ''],
    ['name,v\n9,', rows],
    ['name,v\n8,Malmö and ', ''],
  ] as const) {
    const bytes = [Buffer.from(start), Buffer.from('Orl\xe9ans', 'latin1'), Buffer.from(`\n${end}`)];
    const list = await fixture.list('list.csv', Buffer.concat(bytes));
    const {code, err, remedies = ''} = await fixture.freeze('things', list);
    assert.equal(code, 1);
    assert.match(err, /:\d+: row ".*" has bytes that are not UTF-8, although other words of the file are UTF-8\n/);
    assert.match(remedies, /^FZ104: Correct these bytes in your list/);
  }
});
