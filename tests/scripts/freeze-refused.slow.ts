import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {gzipSync} from 'node:zlib';
import {readTree} from '../build/tree.ts';
import {PROJECT} from '../project.ts';
import {freezeFixture, runFreeze, type FreezeFixture} from './freeze-fixture.ts';
import {runRaw} from './script-run.ts';

const DENY = 'url,class\nhttps://a.example/,dead\nhttps://b.example/,fraud\n';
const PARQUET_MAGIC = 'PAR1 and so on';

interface Case {
  readonly name: string;
  /** Files by name. Those with a name that starts with "-" are not arguments of the command. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Further arguments, before the options. */
  readonly args?: readonly string[];
  readonly source?: string;
  readonly says: RegExp;
}

const files = (name: string, content: string | Uint8Array) => ({files: {[name]: content}});

const CASES: readonly Case[] = [
  {name: 'a file that is missing', args: ['nowhere.csv'], says: /^nowhere\.csv does not exist$/m},
  {name: 'a file that is empty', ...files('a.csv', ''), says: /a\.csv is empty$/m},
  {name: 'a folder', args: ['/tmp'], says: /^\/tmp is a folder$/m},
  {name: 'a device', args: ['/dev/null'], says: /^\/dev\/null is not a file/m},
  {name: 'standard input', args: ['-'], says: /^- is standard input/m},
  {
    name: 'a name without a known format',
    ...files('list.txt', DENY),
    says: /list\.txt has a name that does not end in/,
  },
  {name: 'a name without a stem', ...files('.csv', DENY), says: /\.csv has a name that does not end in/},
  {name: 'Parquet with gzip', ...files('a.parquet.gz', gzipSync('x')), says: /has a name that does not end in/},
  {
    name: 'Parquet with the extension of CSV',
    ...files('a.csv', PARQUET_MAGIC),
    says: /a\.csv is not CSV, as its name says, but Parquet$/m,
  },
  {
    name: 'gzip with the extension of CSV',
    ...files('a.csv', gzipSync(DENY)),
    says: /is not CSV, as its name says, but gzip$/m,
  },
  {name: 'invalid gzip', ...files('a.csv.gz', DENY), says: /a\.csv\.gz is not gzip: incorrect header check$/m},
  {
    name: 'gzip that is cut off',
    ...files('a.csv.gz', gzipSync(DENY).subarray(0, 40)),
    says: /a\.csv\.gz is damaged gzip, is cut off, or has bytes after its end$/m,
  },
  {
    name: 'gzip with a line end after it',
    ...files('a.csv.gz', Buffer.concat([gzipSync(DENY), Buffer.from('\n')])),
    says: /a\.csv\.gz is damaged gzip, is cut off, or has bytes after its end/,
  },
  ...['a.csv', 'a.csv.gz', 'a.json', 'a.parquet'].map(name => ({
    name: `a Git LFS pointer called ${name}`,
    ...files(name, `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`),
    says: /a\.[a-z.]+ is a Git LFS pointer: its content was not downloaded$/m,
  })),
  {name: 'an empty gzip file', ...files('a.csv.gz', gzipSync('')), says: /a\.csv\.gz is empty$/m},
  {
    name: 'CSV with the extension of Parquet',
    ...files('a.parquet', DENY),
    says: /is not Parquet, as its name says, but text/,
  },
  {
    name: 'Parquet with only the first bytes',
    ...files('a.parquet', PARQUET_MAGIC),
    says: /a\.parquet: .*cannot be read|a\.parquet is not Parquet/,
  },
  {
    name: 'a spreadsheet',
    ...files('a.csv', Buffer.from('504b030414000600', 'hex')),
    says: /but a ZIP archive, such as a spreadsheet$/m,
  },
  {name: 'a web page', ...files('a.csv', '<!doctype html>\n<p>Not found'), says: /but HTML or XML$/m},
  {
    name: 'a merge conflict in the header',
    ...files('a.csv', '<<<<<<< HEAD\nurl,class\n=======\nurl,kind\n>>>>>>> other\na,b\n'),
    says: /but the two versions of a merge conflict in git$/m,
  },
  {
    name: 'JSON with the extension of CSV',
    ...files('a.csv', '[{"url": 1}]'),
    says: /is not CSV, as its name says, but JSON/,
  },
  {
    name: 'NDJSON with the extension of JSON',
    ...files('a.json', '{"url": "x"}\n{"url": "y"}\n'),
    says: /is not a JSON array, as its name says, but objects, one per line$/m,
  },
  {
    name: 'an object of JSON with the extension of CSV',
    ...files('a.csv', '{"data": [{"url": "x"}]}'),
    says: /is not CSV, as its name says, but JSON$/m,
  },
  {
    name: 'an object with rows as its members',
    ...files('a.json', '{"x": {"id": 1}, "y": {"id": 2}}'),
    says: /but an object without a list of rows$/m,
  },
  {
    name: 'an object of broken JSON with a list inside',
    ...files('a.json', '{"data": [\n{"url": "x"},\n]}'),
    says: /a\.json:2:13 is not JSON: this comma has no value after it/,
  },
  {
    name: 'an object that is not UTF-8, with a list inside',
    ...files('a.json', Buffer.from('{"data": [{"name": "Z\xfcrich"}]}', 'latin1')),
    says: /a\.json:1 has bytes that are not UTF-8, and looks like WINDOWS-1252/,
  },
  {
    name: 'JSON with the extension of NDJSON',
    ...files('a.ndjson', '[{"url": "x"}]'),
    says: /is not NDJSON, as its name says, but JSON$/m,
  },
  {
    name: 'bytes that are not UTF-8',
    ...files('a.csv', Buffer.from('url,class\nhttps://\xe9.example/,dead\n', 'latin1')),
    says: /a\.csv:2: .*not UTF-8/,
  },
  {
    name: 'a row with too many values',
    ...files('a.csv', `${DENY}x,y,z\n`),
    says: /a\.csv:4: row "x,y,z" has too many values$/m,
  },
  {
    name: 'broken NDJSON',
    ...files('a.ndjson', '{"url": "x"}\n{"url": \n'),
    says: /a\.ndjson:2:1 has a "\{" that is not closed/,
  },
  {name: 'broken JSON', ...files('a.json', '[{"url": "x"},\n{"url": }]'), says: /a\.json:2:9 lacks a value here/},
  {
    name: 'objects in a column of texts',
    ...files('a.ndjson', '{"url": "x", "more": {"a": 1}}\n{"url": "y", "more": "b"}\n{"url": "z", "more": "c"}\n'),
    says: /a\.ndjson:1: more "\{\\"a\\":1\}" is not a text$/m,
  },
  {
    name: 'whole numbers of JSON past 2^53',
    ...files('a.ndjson', '{"id": "x", "n": 1}\n{"id": "y", "n": 9007199254740993}\n'),
    says: /a\.ndjson:2: n "?9007199254740993"? is not an integer within/,
  },
  {
    name: 'whole numbers of JSON past 2^53 that a double represents',
    ...files('a.ndjson', '{"id": "x", "n": 1}\n{"id": "y", "n": 1000000000000000000}\n'),
    says: /a\.ndjson:2: n "?1000000000000000000"? is not an integer within/,
  },
  {
    name: 'a key that is not a column of an empty list',
    ...files('a.json', '[]'),
    args: ['--primary-key', 'id'],
    says: /a\.json does not contain rows/,
  },
  {
    name: 'decimals of JSON with more digits than exact ones may have',
    ...files('a.ndjson', `{"id": "x", "n": 0.5}\n{"id": "y", "n": ${'123456789'.repeat(5)}.5}\n`),
    says: /a\.ndjson:2: n "?123456789[^\n]* has more digits or a larger exponent than a double represents$/m,
  },
  {
    name: 'a number of JSON past all doubles, in one line',
    ...files('a.ndjson', '{"id": "x", "n": 0.5}\n{"id": "y", "n": 1e400}\n'),
    says: /^[^\n]*a\.ndjson:2: n "?1e400"? has more digits or a larger exponent than a double represents\n$/,
  },
  {
    name: 'a list of no rows, the first time',
    ...files('a.csv', 'url,class\n'),
    says: /a\.csv does not contain rows, so a schema cannot be inferred$/m,
  },
  {name: 'an empty array, the first time', ...files('a.json', '[]'), says: /a\.json does not contain rows/},
  {
    name: 'two columns with one name',
    ...files('a.csv', 'url,URL\nx,y\n'),
    says: /a\.csv:1: column 2 "URL" is also the name of column 1 /m,
  },
  {
    name: 'a column without a name',
    ...files('a.csv', 'url,\nx,y\n'),
    says: /a\.csv:1: column 2 is unnamed$/m,
  },
  {
    name: 'a column with a quotation mark in its name',
    ...files('a.csv', 'url,"5"" disk"\nx,y\n'),
    says: /a\.csv:1: column 2 "5\\" disk" is not a column name: 1 to 100 characters, no quotation mark/,
  },
  {
    name: 'two files with one name',
    files: {'a/x.csv': DENY, 'b/X.csv': DENY},
    says: /b\/X\.csv would have the name x\.csv in the freeze, as .*a\/x\.csv does$/m,
  },
  {
    name: 'a list with the name of the descriptor',
    ...files('datapackage.json', '[{"a": "b"}]'),
    says: /has the name of the file that describes a freeze/,
  },
  {
    name: 'files of two formats',
    files: {'a.csv': DENY, 'b.ndjson': '{"url": "x"}\n'},
    says: /b\.ndjson has another format than the files before it, and all/,
  },
  {
    name: 'uncompressed files together with compressed ones',
    files: {'a.csv': DENY, 'b.csv.gz': gzipSync(DENY)},
    says: /b\.csv\.gz must be compressed if the files before it are, and only then/,
  },
  {
    name: 'two files with two headers',
    files: {'a.csv': DENY, 'b.csv': 'url,type\nx,y\n'},
    says: /b\.csv:1: header "url,type" is not url,class$/m,
  },
  {
    name: 'an invalid name of a source',
    source: 'Deny List',
    ...files('a.csv', DENY),
    says: /^source "Deny List" cannot be a name/m,
  },
  {
    name: 'a source that is a path',
    source: 'data/sources/deny-list/',
    ...files('a.csv', DENY),
    says: /did you mean deny-list\?$/m,
  },
  {
    name: 'a source that leads elsewhere',
    source: '../x',
    ...files('a.csv', DENY),
    says: /^source "\.\.\/x" cannot be a name/m,
  },
  {
    name: 'a day that does not exist',
    ...files('a.csv', DENY),
    args: ['--as-of', '2026-02-30'],
    says: /^--as-of "2026-02-30" is not a valid day or time/m,
  },
  {name: 'an as_of in local time', ...files('a.csv', DENY), args: ['--as-of', '2026-02-03T10:00'], says: /^--as-of /m},
  {
    name: 'an as_of in the future',
    ...files('a.csv', DENY),
    args: ['--as-of', '2999-01-01'],
    says: /^--as-of "2999-01-01" is in the future/m,
  },
  {
    name: 'a created after as_of',
    ...files('a.csv', DENY),
    args: ['--as-of', '2026-05-01', '--created', '2026-05-02'],
    says: /^--created "2026-05-02" is after as_of, 2026-05-01T00:00:00\.000Z$/m,
  },
  {
    name: 'a title of two lines',
    ...files('a.csv', DENY),
    args: ['--title', 'a\nb'],
    says: /^--title "a\\nb" is not one line/m,
  },
  {
    name: 'an invalid delimiter',
    ...files('a.csv', DENY),
    args: ['--delimiter', 'x'],
    says: /^--delimiter "x" is not one of/m,
  },
  {
    name: 'a key that is not a column',
    ...files('a.csv', DENY),
    args: ['--primary-key', 'uri'],
    says: /^--primary-key "uri" is not a column of the list, which has url, class$/m,
  },
  {
    name: 'an http: address',
    args: ['http://127.0.0.1:1/a.csv'],
    says: /^http:\/\/127\.0\.0\.1:1\/a\.csv is not an https: address$/m,
  },
  {name: 'another address', args: ['s3://bucket/a.csv'], says: /^s3:\/\/bucket\/a\.csv is not an https: address$/m},
  {
    name: 'a password in an address',
    args: ['https://me:secret@127.0.0.1/a.csv'],
    says: /^https:\/\/127\.0\.0\.1\/a\.csv contains a name or a password/m,
  },
];

/** Errors in a name or an option. */
const IS_USAGE =
  /^(?:source|--as-of|--created|--title|--delimiter|--property|--primary-key) "|^- is standard input|^\S+ is not an https: address|^\S+ contains a name or a password/;

/** Runs the command with the files of a case. */
async function runCase(fixture: FreezeFixture, {files: given = {}, args = [], source = 'deny-list'}: Case) {
  const paths: string[] = [];
  for (const [name, content] of Object.entries(given)) paths.push(await fixture.list(name, content));
  return await fixture.freeze(source, ...paths, ...args);
}

describe('refuses, with a clear message and without writing a file,', {concurrency: 2}, () => {
  for (const one of CASES) {
    test(one.name, async () => {
      await using fixture = await freezeFixture();
      const before = await readTree(fixture.site.root);
      const {code, out, err} = await runCase(fixture, one);
      assert.equal(code, IS_USAGE.test(err) ? 2 : 1, err);
      assert.match(err, one.says);
      assert.doesNotMatch(err, /^\s+at /m);
      assert.doesNotMatch(err, /secret|\.freeze-/);
      assert.ok(err.trimEnd().split('\n').length <= 2, err);
      assert.equal(out, '');
      assert.deepEqual(await readTree(fixture.site.root), before);
      assert.equal(folders(fixture.site.root), 'data');
    });
  }
});

/** Returns the folders below a root, one per line. */
function folders(root: string): string {
  return execFileSync('find', ['.', '-mindepth', '1', '-type', 'd'], {cwd: root, encoding: 'utf8'})
    .trim()
    .replaceAll('./', '');
}

describe('an existing freeze', {concurrency: 2}, () => {
  test('is never overwritten', async () => {
    await using fixture = await freezeFixture();
    const path = await fixture.list('deny.csv', DENY);
    await fixture.freeze('deny-list', path, '--as-of', '2026-05-01');
    const before = await readTree(fixture.site.root);
    const other = await fixture.list('deny.csv', DENY.replace('dead', 'fraud'));
    const {code, err} = await fixture.freeze('deny-list', other, '--as-of', '2026-05-01T10:00Z');
    assert.equal(code, 1);
    assert.equal(err, 'data/sources/deny-list/2026-05-01 already exists\n');
    assert.deepEqual(await readTree(fixture.site.root), before);
  });

  test('is created by only one of several concurrent processes', async () => {
    await using fixture = await freezeFixture();
    const path = await fixture.list('deny.csv', DENY);
    const runs = [1, 2, 3].map(() => fixture.freeze('deny-list', path, '--as-of', '2026-05-01'));
    const codes = (await Promise.all(runs)).map(({code}) => code);
    assert.deepEqual(
      codes.toSorted((one, other) => Number(one) - Number(other)),
      [0, 1, 1],
    );
    const tree = await readTree(fixture.site.root);
    assert.deepEqual(
      Object.keys(tree).filter(name => name.includes('sources')),
      ['datapackage.json', 'deny.csv'].map(name => `data/sources/deny-list/2026-05-01/${name}`),
    );
  });

  test('is refused as the previous freeze if its descriptor is invalid', async () => {
    await using fixture = await freezeFixture();
    await fixture.site.write('data/sources/deny-list/2026-04-01/datapackage.json', '{}');
    const {code, err} = await fixture.freeze('deny-list', await fixture.list('deny.csv', DENY));
    assert.equal(code, 1);
    assert.match(err, /^data\/sources\/deny-list\/2026-04-01\/datapackage\.json:1: created is missing$/m);
  });
});

test('a dry run shows everything and writes nothing', async () => {
  await using fixture = await freezeFixture();
  const {code, out} = await fixture.freeze('deny-list', await fixture.list('deny.csv', DENY), '--dry-run');
  assert.equal(code, 0);
  assert.match(out, /not written/);
  assert.equal(folders(fixture.site.root), 'data');
});

test('names that a descriptor may not have are corrected', async () => {
  await using fixture = await freezeFixture();
  const path = await fixture.list('.deny [old]*.csv', DENY);
  const {code, out} = await fixture.freeze('deny-list', path, '--as-of', '2026-05-01');
  assert.equal(code, 0);
  assert.match(out, /kept as deny -old-\.csv/);
  assert.equal((await fixture.descriptor('deny-list', '2026-05-01')).resources[0].path, 'deny -old-.csv');
});

test('the contents of a list cannot control the terminal', async () => {
  await using fixture = await freezeFixture();
  const path = await fixture.list('deny.csv', `${DENY}https://c.example/,\u001b[31mred\u202e\n`);
  const {code, out} = await fixture.freeze('deny-list', path);
  assert.equal(code, 0);
  assert.ok(out.includes('\\u001b[31mred\\u202e'));
  assert.doesNotMatch(out, /\u001b|\u202e/);
});

test('a warning reports a freeze that git would not commit', async () => {
  await using fixture = await freezeFixture();
  const path = await fixture.list('deny.csv', DENY);
  execFileSync('git', ['init', '--quiet'], {cwd: fixture.site.root});
  assert.doesNotMatch((await fixture.freeze('deny-list', path, '--dry-run')).out, /git ignores/);
  await fixture.site.write('.gitignore', '*.csv\n');
  const {code, out} = await fixture.freeze('deny-list', path, '--as-of', '2026-05-01');
  assert.equal(code, 0);
  assert.match(
    out,
    /^git ignores data\/sources\/deny-list\/2026-05-01\/deny\.csv: the freeze would not be committed\.$/m,
  );
});

test('wrong usage ends with 2 and a reference to --help, which is fast', async () => {
  for (const args of [
    [],
    ['deny-list'],
    ['deny-list', 'a.csv', '--as-off', 'x'],
    ['deny-list', 'a.csv', '--primary-key'],
  ]) {
    const {code, err} = await runRaw(PROJECT, ['freeze', ...args], {});
    assert.equal(code, 2, args.join(' '));
    assert.match(err, /--help/);
    assert.doesNotMatch(err, /^\s+at /m);
  }
  const {code, out} = await runFreeze(['--help']);
  assert.equal(code, 0);
  assert.match(out, /Usage: .*--as-of.*Examples:\n/s);
});

test('a file that is named twice is refused', async () => {
  await using fixture = await freezeFixture();
  const path = await fixture.list('a.csv', DENY);
  const {code, err} = await fixture.freeze('list', path, path);
  assert.equal(code, 1);
  assert.match(err, /a\.csv is named twice$/m);
});

test('quotation marks with a backslash are refused with the rule of CSV', async () => {
  await using fixture = await freezeFixture();
  const path = await fixture.list(
    'a.csv',
    String.raw`id,says
1,"the \"first\" one"
2,"the \"second\", and more"
`,
  );
  const {code, err, remedies = ''} = await fixture.freeze('list', path);
  assert.equal(code, 1);
  assert.match(err, /a\.csv:2: row .* has a quotation mark that is not closed/);
  assert.match(remedies, /If a backslash marks quotation marks within values, write them twice instead\./);
  assert.doesNotMatch(remedies, /Values with commas/);
});

test('a full disk is reported in one line, and no incomplete freeze remains', async t => {
  await using fixture = await freezeFixture();
  const root = join(fixture.lists, 'tiny');
  await mkdir(root);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', root], {stdio: 'pipe'});
  } catch (error) {
    t.skip(`no small disk can be mounted here: ${(error as Error).message}`);
    return;
  }
  try {
    await mkdir(join(root, 'data'));
    const rows = Array.from({length: 20_000}, (_, n) => `https://h${n}.example/,dead\n`).join('');
    const path = await fixture.list('deny.csv', `url,class\n${rows}`);
    const {code, err} = await runFreeze(['deny-list', path, '--root', root]);
    assert.equal(code, 1);
    assert.match(err, /^\S*deny\.csv cannot be written: the disk is full \(ENOSPC\)$/m);
    assert.equal(folders(root), 'data');
    await writeFile(join(root, 'room'), Buffer.alloc(200_000));
  } finally {
    execFileSync('umount', [root]);
  }
});
