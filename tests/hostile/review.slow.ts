import assert from 'node:assert/strict';
import {readFile, truncate, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {commit, committedSite} from '../scripts/reviewed.ts';
import {runLimited, runMeasured} from './run-limited.ts';

const MIB = 1024 * 1024;

type Document = Record<string, unknown>;

const sample = 'public/api/v1/samples/softfail3.json';
const schema = 'public/api/v1/schemas/softfail3.json';
const catalogue = 'public/api/v1/index.json';

const nested = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
/** Returns many different texts. */
const texts = (from: number) => Array.from({length: 100_000}, (_none, at) => `text ${from + at}`);
const joined = (text: string, members: Document) => JSON.stringify({...(JSON.parse(text) as Document), ...members});
const inside = (text: string, json: string) => text.replace('{', `{"odd": ${json}, `);

interface Case {
  readonly says: string;
  readonly file: string;
  readonly before?: (text: string) => string;
  readonly after: (text: string) => string;
  /** The expected text on standard error. None if the review succeeds. */
  readonly err?: RegExp;
  readonly out?: RegExp;
}

const DEEP = /^public\/\S+ is nested (too deeply|more than 64 levels deep)\n$/;

// One line per case: a file that was edited, and the expected end of the review.
const cases: readonly Case[] = [
  {says: 'a sample nested 100,000 deep', file: sample, after: text => inside(text, nested(100_000)), err: DEEP},
  {says: 'a sample with lists nested 2,000 deep', file: sample, after: text => inside(text, lists(2000)), err: DEEP},
  {says: 'a schema nested 2,000 deep', file: schema, after: text => inside(text, nested(2000)), err: DEEP},
  {says: 'a catalogue nested 2,000 deep', file: catalogue, after: text => inside(text, nested(2000)), err: DEEP},
  {
    says: 'a number that is too large',
    file: sample,
    after: text => inside(text, '1e400'),
    err: /^public\/\S+ contains a number that is too large, such as 1e400\n$/,
  },
  {
    says: 'two lists of 100,000 texts',
    file: sample,
    before: text => joined(text, {siblings: texts(0)}),
    after: text => joined(text, {siblings: texts(50_000)}),
    out: /50,?000/,
  },
  {
    says: 'two enumerations of 100,000 texts',
    file: schema,
    before: text => joined(text, {properties: {name: {enum: texts(0)}}}),
    after: text => joined(text, {properties: {name: {enum: texts(-1).concat(texts(1))}}}),
    out: /name/,
  },
  {
    says: 'two schemas of 100,000 required members',
    file: schema,
    before: text => joined(text, {required: texts(0)}),
    after: text => joined(text, {required: texts(1), title: 'another'}),
    out: /text 0/,
  },
  {
    says: 'bounds and names that cannot be converted to a number or a text',
    file: schema,
    before: text => joined(text, {minimum: {valueOf: 1, toString: 1}, required: [{toString: 1}]}),
    after: text => joined(text, {minimum: {valueOf: 2, toString: 2}, required: [{toString: 2}]}),
    out: /paid/,
  },
];

for (const {says, file, before, after, err, out} of cases) {
  test(`${says} is reviewed in linear time, or refused in one line`, async () => {
    await using site = await committedSite();
    const path = join(site.root, file);
    const built = await readFile(path, 'utf8');
    if (before) {
      await writeFile(path, before(built));
      commit(site.root);
    }
    await writeFile(path, after(built));
    const ran = await runMeasured('review', ['--root', site.root]);
    assert.doesNotMatch(ran.out + ran.err, /^\s+at /m);
    assert.ok(ran.seconds < 30 && ran.mebibytes < 2048, `took ${ran.seconds} s and ${ran.mebibytes} MiB`);
    if (err) {
      assert.equal(ran.code, 1);
      assert.match(ran.err, err);
    } else {
      assert.equal(ran.err, '');
      assert.match(ran.out, out ?? /./);
    }
  });
}

test('a document of 150 MB in the history and a large file of 400 MB in public/ are not read into memory', async () => {
  await using site = await committedSite();
  const path = join(site.root, sample);
  const built = await readFile(path);
  await truncate(path, 150 * MIB);
  commit(site.root);
  await writeFile(path, built);
  await writeFile(join(site.root, 'public/large.bin'), '');
  await truncate(join(site.root, 'public/large.bin'), 400 * MIB);
  for (const [args, says] of [
    [['--base', 'HEAD'], /^public\/\S+ in HEAD \([0-9a-f]{7}\) has more than 134217728 bytes\n$/],
    [['--base', 'HEAD~1'], /^$/],
  ] as const) {
    const ran = await runLimited('review', ['--root', site.root, ...args]);
    assert.match(ran.err, says);
    assert.ok(ran.seconds < 60 && ran.mebibytes < 300, `took ${ran.seconds} s and ${ran.mebibytes} MiB`);
  }
});
