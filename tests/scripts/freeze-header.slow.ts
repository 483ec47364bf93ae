import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {gunzipSync, gzipSync} from 'node:zlib';
import {readJson} from '../build/tree.ts';
import {freezeFixture, type FreezeFixture} from './freeze-fixture.ts';

const ROWS = 'https://a.example/,dead\nhttps://b.example/,soft_fail\nhttps://c.example/,soft_fail\n';

/** Returns the words of a shell command with quoted words. */
const wordsOf = (command: string) =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

interface Case {
  readonly name: string;
  readonly file?: string;
  readonly content: string | Uint8Array;
  /** Finds the options in the remedy that resolve the error. */
  readonly remedy: RegExp;
  /** The resulting frozen file, decompressed. */
  readonly frozen: string;
}

const CASES: readonly Case[] = [
  {name: 'a title', content: `Deny list\n\nurl,class\n${ROWS}`, remedy: /add `(--header-row \d+)`/i, frozen: `url,class\n${ROWS}`},
  {name: 'a title, packed', file: 'a.csv.gz', content: gzipSync(`Deny list\nurl,class\n${ROWS}`), remedy: /add `(--header-row \d+)`/i, frozen: `url,class\n${ROWS}`},
  {name: 'comments', content: `# a\n# b, c\nurl,class\n${ROWS}`, remedy: /add `(--header-row \d+)`/i, frozen: `url,class\n${ROWS}`},
  {name: 'a line for Excel', content: `\ufeffsep=,\r\nurl,class\r\n${ROWS.replaceAll('\n', '\r\n')}`, remedy: /Add `(.*)`\.$/, frozen: `url,class\r\n${ROWS.replaceAll('\n', '\r\n')}`},
  {name: 'no header', content: ROWS, remedy: /Add `(--columns \S+)`/, frozen: `column1,column2\n${ROWS}`},
  {name: 'no header, a byte order mark and CR LF', content: `\ufeff${ROWS.replaceAll('\n', '\r\n')}`, remedy: /Add `(--columns \S+)`/, frozen: `column1,column2\r\n${ROWS.replaceAll('\n', '\r\n')}`},
  {name: 'no header, and tabs', file: 'a.tsv', content: ROWS.replaceAll(',', '\t'), remedy: /Add `(--columns \S+)`/, frozen: `column1\tcolumn2\n${ROWS.replaceAll(',', '\t')}`},
  {name: 'an index', content: `,url,class\n${ROWS.replaceAll(/^/gm, '1,').slice(0, -2)}`, remedy: /add `(--header-row .*)`\.$/, frozen: `index,url,class\n${ROWS.replaceAll(/^/gm, '1,').slice(0, -2)}`},
  {name: 'a line break in a name', content: `url,"my\nclass"\n${ROWS}`, remedy: /add `(--header-row .*)`\.$/, frozen: `url,my class\n${ROWS}`},
  {name: 'two lines of a header', content: `url,class\nthe address,\n${ROWS}https://d.example/,dead\n`, remedy: /, `(--header-row \d+ --columns \S+)` if/, frozen: `url,class\n${ROWS}https://d.example/,dead\n`},
  {name: 'years as columns', content: '2020,2021\n5,6\n7,8\n', remedy: /or `(--header-row 1)` if/, frozen: '2020,2021\n5,6\n7,8\n'},
  {name: 'a tie of delimiters', content: 'Datum;Kurs, EUR\n2026-01-01;1,25\n2026-01-02;1,26\n', remedy: /or `(--delimiter ';')`\.$/, frozen: 'Datum;Kurs, EUR\n2026-01-01;1,25\n2026-01-02;1,26\n'},
]; // prettier-ignore

const frozenFile = async ({site}: FreezeFixture, name: string) => {
  const bytes = await readFile(join(site.root, 'data/sources/list/2026-05-01', name));
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
};

describe('the options in the message freeze and build a list with', {concurrency: 2}, () => {
  for (const {name, file = 'a.csv', content, remedy, frozen} of CASES) {
    test(name, async () => {
      await using fixture = await freezeFixture();
      const {site} = fixture;
      const args = ['list', await fixture.list(file, content), '--as-of', '2026-05-01', '--no-primary-key'];
      const refused = await fixture.freeze(...args);
      assert.equal(refused.code, 1, refused.out);
      const [, options = ''] = remedy.exec(refused.remedies ?? '') ?? assert.fail(refused.remedies);
      const {code, err} = await fixture.freeze(...args, ...wordsOf(options));
      assert.equal(code, 0, err);
      assert.equal(await frozenFile(fixture, file), frozen);
      await site.write('data/products/a.json', {
        ...{title: 'A', kind: 'query', price: '$0.05', source: 'list', difference: 'counts rows', examples: 0},
        ...{figures: 'SELECT count(*) AS rows_n FROM rows', rows: 'SELECT * FROM rows ORDER BY ALL'},
      });
      assert.equal((await site.build()).err, '');
      const sample = await readJson(site.root, 'public/api/v1/samples/a.json');
      const lines = frozen.trimEnd().split('\n').length - 1;
      assert.equal(sample['rows_n'], lines);
    });
  }
});

test('the names of columns may be in brackets, and have spaces outside of their quotation marks', async () => {
  await using fixture = await freezeFixture();
  const headers: Readonly<Record<string, readonly string[]>> = {
    '<TICKER>,<DATE>': ['<TICKER>', '<DATE>'],
    '[id],[name]': ['[id]', '[name]'],
    '\ufeff{id},{name}': ['{id}', '{name}'],
    '"Month" , "1958, 1959"': ['Month', '1958, 1959'],
  };
  for (const [index, [header, names]] of Object.entries(headers).entries()) {
    const list = await fixture.list(`${index}.csv`, `${header}\na, "x"\nb, "y"\n`);
    const {code, err} = await fixture.freeze(`list-${index}`, list, '--as-of', '2026-05-01', '--no-primary-key');
    assert.equal(code, 0, err);
    const {schema} = (await fixture.descriptor(`list-${index}`, '2026-05-01')).resources[0];
    assert.deepEqual(
      schema?.fields.map(({name}) => name),
      names,
    );
  }
});

test('the line of an invalid row is that of the given file, also with lines above the header', async () => {
  await using fixture = await freezeFixture();
  const bad = 'https://d.example/,dead,x\n';
  const cases = [
    [`Title\n\nurl,class\n${ROWS}${bad}`, ['--header-row', '3'], 7],
    [`${ROWS}${bad}`, ['--columns', 'url,class'], 4],
    [`Title\nurl,"my\nclass"\n${ROWS}${bad}`, ['--header-row', '2', '--columns', 'url,class'], 7],
  ] as const;
  for (const [content, options, line] of cases) {
    const path = await fixture.list('a.csv', content);
    const {code, err} = await fixture.freeze('list', path, ...options);
    assert.equal(code, 1);
    assert.equal(err, `${path}:${line}: row "https://d.example/,dead,x" has too many values\n`);
  }
});

test('a second freeze needs its options again, and its error has the names of its columns', async () => {
  await using fixture = await freezeFixture();
  const path = await fixture.list('a.csv', ROWS);
  assert.equal((await fixture.freeze('list', path, '--columns', 'url,class', '--as-of', '2026-05-01')).code, 0);
  const refused = await fixture.freeze('list', path, '--as-of', '2026-05-02');
  assert.match(refused.remedies ?? '', /Add `--columns 'url,class'` if the header is missing/);
  const {code, out} = await fixture.freeze('list', path, '--columns', 'url,class', '--as-of', '2026-05-02');
  assert.equal(code, 0);
  assert.match(out, /^since 2026-05-01: 0 added, 0 removed, 0 changed$/m);
  assert.match(out, /^The frozen files differ from the given ones by their header\.$/m);
});

test('the lines above the header are removed from each of several files', async () => {
  await using fixture = await freezeFixture();
  const paths = [
    await fixture.list('a.csv', `Part 1\nurl,class\n${ROWS}`),
    await fixture.list('b.csv', 'Part 2\nurl,class\nx,dead\n'),
  ];
  const {code, err} = await fixture.freeze('list', ...paths, '--header-row', '2', '--as-of', '2026-05-01');
  assert.equal(code, 0, err);
  assert.equal(await frozenFile(fixture, 'b.csv'), 'url,class\nx,dead\n');
  assert.equal((await fixture.descriptor('list', '2026-05-01')).resources[0].rows, 4);
});

const REFUSED: readonly (readonly [name: string, content: string, args: readonly string[], says: RegExp, file?: string])[] = [
  ['an empty row', `url,class\n${ROWS},\n`, [], /a\.csv:5: row is empty in every column, as spreadsheets write empty rows$/m],
  ['empty rows at the end', `url,class\n${ROWS},\n,\n`, ['--no-primary-key'], /a\.csv:6: row is empty/],
  ['the header of a second file that was joined', `url,class\n${ROWS}url,class\nx,dead\n`, [], /a\.csv:5: row repeats the header, as if several files were joined$/m],
  ['a quotation mark that is not closed', 'url,class\n"https://a.example/,dead\nhttps://b.example/,dead\n', [], /a\.csv:2: row has a quotation mark that is not closed, so that it runs to the end of the file/],
  ['too few names', ROWS, ['--columns', 'url'], /a\.csv: --columns "url" must have 2 names, one for each value of line 1$/m],
  ['a line past the end', ROWS, ['--header-row', '9'], /a\.csv: --header-row 9 is not one of the first lines of the file$/m],
  ['a header of JSON', '[{"a":1}]', ['--header-row', '2'], /^--header-row 2 applies only to CSV$/m, 'a.json'],
  ['columns of NDJSON', '{"a":1}', ['--columns', 'a'], /^--columns "a" applies only to CSV$/m, 'a.ndjson'],
]; // prettier-ignore

test('a row can have the names of the columns as its values', async () => {
  await using fixture = await freezeFixture();
  const list = await fixture.list('a.csv', `english,german\nenglish,Englisch\nenglish,german\n`);
  const {code, err, remedies = ''} = await fixture.freeze('words', list, '--no-primary-key', '--header-row', '1');
  assert.deepEqual([code, err, remedies], [0, '', '']);
});

test('an empty row and a second header also violate an unchanged schema', async () => {
  await using fixture = await freezeFixture();
  const list = async (text: string) => await fixture.list('a.csv', `a,b\nx,\n,y\n${text}`);
  assert.equal((await fixture.freeze('list', await list(''), '--no-primary-key', '--as-of', '2026-05-01')).code, 0);
  const {err} = await fixture.freeze('list', await list(',\n'), '--as-of', '2026-05-02');
  assert.match(err, /a\.csv:4: row is empty in every column/);
  const {err: repeated} = await fixture.freeze('list', await list('a,b\n'), '--as-of', '2026-05-02');
  assert.match(repeated, /a\.csv:4: row repeats the header/);
});

describe('a list is refused with', {concurrency: 2}, () => {
  for (const [name, content, args, says, file = 'a.csv'] of REFUSED) {
    test(name, async () => {
      await using fixture = await freezeFixture();
      const {code, err} = await fixture.freeze('list', await fixture.list(file, content), ...args);
      assert.equal(code, args[0]?.startsWith('--no-') === false ? 2 : 1);
      assert.match(err, says);
    });
  }
});
