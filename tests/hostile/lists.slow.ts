import assert from 'node:assert/strict';
import {existsSync, readdirSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {gzipSync} from 'node:zlib';
import {parquet} from '../build/bad-input/write-parquet.ts';
import {CLASS_SHARE, emptySite} from '../build/site-fixture.ts';
import {runMeasured, type Limited} from './run-limited.ts';

const MB = 1_000_000;
const LONG = /: record is longer than 1 MiB, the most that a record may have\n/;
const at = (line: number) => new RegExp(`\\.[a-z.]+:${line}${LONG.source}`);
const HEADER = /:1 is not the header of a CSV file/;
const WIDE =
  /30000 columns are more than 250, the most that a list may have\n|schema\.fields .* has 30000 items, and may have at most 250\n/;
const x = (length: number) => 'x'.repeat(length);
const row = (n: number) => `https://h${n}.example/,dead\n`;
const rows = (from: number, length: number) => Array.from({length}, (_, n) => row(from + n)).join('');
const object = (url: string) => JSON.stringify({url, class: 'dead'});
const head = `url,class\n${rows(0, 5)}`;
/** Returns this many bytes, compressed. Gzip files may be concatenated. */
const packed = (start: string, bytes: number) =>
  Buffer.concat([gzipSync(start), ...Array.from({length: bytes / (20 * MB)}, () => TWENTY)]);
const TWENTY = gzipSync(x(20 * MB), {level: 1});
const members = (count: number) => Object.fromEntries(Array.from({length: count}, (_, n) => [`m${n}`, 'a']));
const names = (count: number) => ['url', 'class', ...Array.from({length: count - 2}, (_, n) => `c${n}`)];

interface Case {
  readonly what: string;
  readonly file: string;
  readonly content: () => string | Uint8Array | Promise<Uint8Array>;
  /** The error of the build and the freeze, or the number of rows that both find. */
  readonly build: RegExp | number;
  readonly freeze?: RegExp;
  readonly columns?: readonly string[];
}

/** The limits of each case, generous because the machine also runs other tests. */
const SECONDS = 60;
const MEBIBYTES = 600;

// prettier-ignore
const cases: readonly Case[] = [
  {what: '100 MB of CSV without a line end', file: 'list.csv', content: () => x(100 * MB), build: at(1), freeze: HEADER},
  {what: 'a record of 40 MB without a comma or line end', file: 'list.csv', content: () => head + x(40 * MB), build: at(7)},
  {what: 'a record of 40 MB between others', file: 'list.csv', content: () => `${head}${x(40 * MB)},dead\n${rows(9, 5)}`, build: at(7)},
  {what: 'a record of 40 MB after many', file: 'list.csv', content: () => `${head}${rows(9, 400_000)}${x(40 * MB)}`, build: at(400_007)},
  {what: 'a record of 40 MB with lines that end in CR', file: 'list.csv', content: () => `${head}${x(40 * MB)}`.replaceAll('\n', '\r'), build: at(7)},
  {what: 'a quoted last value of 40 MB of lines', file: 'list.csv', content: () => `${head}https://q.example/,"${'x\n'.repeat(20 * MB)}"\n`, build: at(7)},
  {what: 'a quoted value of 40 MB that never ends', file: 'list.csv', content: () => `${head}"${'a,b\n'.repeat(10 * MB)}`, build: at(7)},
  {what: '40 MB of zero bytes in a CSV', file: 'list.csv', content: () => `${head}${'\0'.repeat(40 * MB)}`, build: at(7), freeze: /something binary\n/},
  {what: '600 MB in one string of CSV, compressed', file: 'list.csv.gz', content: () => packed(head, 600 * MB), build: at(7)},
  {what: '30,000 columns of CSV', file: 'list.csv', content: () => `${names(30_000).join()}\n${'a,'.repeat(29_999)}a\n`, columns: names(30_000), build: WIDE},
  {what: 'a line of NDJSON of 40 MB', file: 'list.ndjson', content: () => `${object('a')}\n${object(x(40 * MB))}\n`, build: at(2)},
  {what: '40 MB of NDJSON without an end', file: 'list.ndjson', content: () => `${object('a')}\n\n{"url":"${x(40 * MB)}`, build: at(3)},
  {what: '600 MB in one string of NDJSON, compressed', file: 'list.ndjson.gz', content: () => packed(`${object('a')}\n{"url":"`, 600 * MB), build: at(2)},
  {what: '20,000 members in each of 5 objects', file: 'list.ndjson', content: () => `${JSON.stringify(members(20_000))}\n`.repeat(5), build: /:1: row is not an object whose members/, freeze: /columns are more than 250/},
  {what: 'NDJSON nested 100,000 deep', file: 'list.ndjson', content: () => `{"url":${'['.repeat(100_000)}${']'.repeat(100_000)},"class":"dead"}\n`, build: /:1: url .* is not a text/, freeze: /:1: url .* is nested deeper than 16 levels/},
  {what: 'an element of JSON of 40 MB', file: 'list.json', content: () => `[${object('a')},\n${object(x(40 * MB))}]`, build: at(2)},
  {what: '600 MB in one string of JSON, compressed', file: 'list.json.gz', content: () => packed(`[${object('a')},\n{"url":"`, 600 * MB), build: at(2)},
  {what: 'JSON nested 100,000 deep', file: 'list.json', content: () => `[{"url":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`, build: /:1: record is nested deeper than 64 levels/},
  {what: 'a text of Parquet of 2 MB', file: 'list.parquet', content: () => parquet("SELECT repeat('x', 2000000) AS url, 'dead' AS class"), build: /: row 1 record is longer than 1 MiB/},
  {what: '1,000 columns of Parquet', file: 'list.parquet', content: () => parquet(`SELECT ${names(1000).map(name => `'a' AS ${name}`).join()}`), build: /columns .* are not url, class/, freeze: /1000 columns are more than 250/},
  {what: 'a CSV record of nearly 1 MiB without a line end', file: 'list.csv', content: () => `${head}${x(2 ** 20 - 5)},dead`, build: 6},
  {what: 'CSV records of nearly 1 MiB', file: 'list.csv', content: () => head + Array.from({length: 5}, (_, n) => `https://${n}.example/${x(2 ** 20 - 40)},dead\n`).join(''), build: 10},
  {what: 'NDJSON lines of nearly 1 MiB, some blank', file: 'list.ndjson', content: () => Array.from({length: 5}, (_, n) => `${object(`https://${n}.example/${x(2 ** 20 - 60)}`)}\n \r\n\n`).join(''), build: 5},
  {what: 'JSON elements of nearly 1 MiB', file: 'list.json', content: () => `[${Array.from({length: 5}, (_, n) => object(`https://${n}.example/${x(2 ** 20 - 60)}`)).join()}]`, build: 5},
];

const FORMATS: Readonly<Record<string, string>> = {csv: 'csv', ndjson: 'ndjson', json: 'json', parquet: 'parquet'};

for (const {what, file, content, columns = ['url', 'class'], build, freeze = build} of cases) {
  test(`${what}: ${typeof build === 'number' ? `${build} rows are counted` : 'is refused in one line'}`, async () => {
    await using site = await emptySite();
    const bytes = await content();
    const dead = {constraints: {required: true, enum: ['dead']}};
    const fields = columns.map(name => ({name, type: 'string', ...(name === 'class' ? dead : {})}));
    await site.write(file, bytes);
    await site.write('data/products/a.json', {
      ...CLASS_SHARE,
      source: 'list',
      class: 'dead',
      key: 'url',
      max_rows: 1,
      examples: 0,
    });
    const frozen = await runMeasured('freeze', [
      'new',
      join(site.root, file),
      '--as-of',
      '2026-05-01',
      '--no-primary-key',
      '--root',
      site.root,
    ]);
    check(frozen, freeze);
    if (typeof freeze === 'number') {
      const descriptor = await readFile(join(site.root, 'data/sources/new/2026-05-01/datapackage.json'), 'utf8');
      assert.match(descriptor, new RegExp(`"rows": ${freeze}\\b`));
    } else assert.ok(!existsSync(join(site.root, 'data/sources/new')));
    const format = FORMATS[file.split('.')[1] ?? ''] ?? '';
    await site.freeze({source: 'list', files: {[file]: bytes}, format, schema: {fields}});
    const built = await runMeasured('build', ['--root', site.root]);
    check(built, build);
    if (typeof build === 'number') assert.match(built.out, new RegExp(`of ${build} rows`));
    else assert.deepEqual(readdirSync(site.root).toSorted(), ['data', file].toSorted());
  });
}

/** Asserts that a command ended as expected. */
function check({code, out, err, seconds, mebibytes}: Limited, ends: RegExp | number): void {
  assert.doesNotMatch(err, /\n\s+at /);
  if (typeof ends === 'number') assert.equal(err, '');
  else {
    assert.match(err, ends);
    assert.deepEqual({code, out}, {code: 1, out: ''});
  }
  assert.ok(seconds < SECONDS, `${seconds} s`);
  assert.ok(mebibytes < MEBIBYTES, `${mebibytes} MiB`);
}
