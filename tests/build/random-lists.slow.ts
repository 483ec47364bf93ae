import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {CLASSES, randomList, type ListRow} from './random-lists/list.ts';
import {mulberry32, type Random} from './random-lists/random.ts';
import {writings} from './random-lists/write.ts';
import {CLASS_SHARE, emptySite, SAME_TIMESTAMPS} from './site-fixture.ts';

/** The fuzzer builds more. */
const LISTS = 6;
const DOCUMENTS = ['softfail3', 'samples/softfail3.json', 'firstlastsame', 'samples/firstlastsame.json'];
const FIELDS = [
  {name: 'url', type: 'string'},
  {name: 'class', type: 'string', constraints: {required: true, enum: CLASSES}},
  {name: 'first', type: 'string'},
  {name: 'last', type: 'string'},
  {name: 'claimed', type: 'boolean'},
  {name: 'note', type: 'string'},
  {name: "n'; --, t0", type: 'integer'},
  {name: 'filename', type: 'number'},
  {name: 'seen', type: 'date'},
];

test('a list has the same documents in every format, compressed or not, in one file or several', async () => {
  for (let seed = 1; seed <= LISTS; seed++) {
    const random = mulberry32(seed);
    const examples = seed % 2 === 0 ? 5 : 0;
    const rows = randomList(random, examples > 0);
    const expected = await documentsOf(seed, rows, examples, random);
    checkClassShare(
      seed,
      rows,
      JSON.parse(expected[0] ?? '') as Paid,
      JSON.parse(expected[1] ?? '') as Sample,
      examples,
    );
    checkSameTimestamps(seed, rows, JSON.parse(expected[2] ?? '') as Paid);
  }
});

/** Builds all written forms of a list, and returns their common documents. */
async function documentsOf(
  seed: number,
  rows: readonly ListRow[],
  examples: number,
  random: Random,
): Promise<string[]> {
  let common: string[] | undefined;
  for (const {name, format, files, delimiter} of await writings(rows, FIELDS, random)) {
    await using site = await emptySite();
    const own = {source: 'random', examples, ...(seed % 3 === 0 ? {key: 'url'} : {})};
    await site.write('data/products/a.json', {...CLASS_SHARE, ...own});
    await site.write('data/products/b.json', {...SAME_TIMESTAMPS, ...own});
    const schema = {fields: FIELDS, ...('key' in own ? {} : {primaryKey: 'url'})};
    const resource = {rows: rows.length, ...(delimiter ? {dialect: {delimiter}} : {})};
    await site.freeze({source: 'random', files, format, schema, resource});
    assert.equal((await site.build()).err, '', `list ${seed} as ${name}`);
    const documents = await Promise.all(
      DOCUMENTS.map(path => readFile(join(site.root, 'public/api/v1', path), 'utf8')),
    );
    common ??= documents;
    assert.deepEqual(documents, common, `list ${seed} as ${name}`);
  }
  return common ?? [];
}

type Paid = Readonly<Record<string, unknown>>;
interface Sample {
  readonly counts: Readonly<Record<string, number>>;
  readonly examples: readonly object[];
}

function checkClassShare(seed: number, rows: readonly ListRow[], paid: Paid, sample: Sample, examples: number): void {
  const matching = rows.filter(row => row['class'] === 'soft_fail').sort(byKey);
  const counts = CLASSES.map(name => [name, rows.filter(row => row['class'] === name).length]);
  const message = `list ${seed}`;
  assert.deepEqual(paid['rows'], matching, message);
  assert.equal(paid['rows_n'], rows.length, message);
  assert.equal(paid['soft_fail_n'], matching.length, message);
  assert.equal(paid['soft_fail_ratio'], rows.length === 0 ? 0 : matching.length / rows.length, message);
  assert.deepEqual(sample.counts, {...Object.fromEntries(counts), total: rows.length}, message);
  assert.deepEqual(sample.examples, matching.slice(0, examples), message);
}

function checkSameTimestamps(seed: number, rows: readonly ListRow[], paid: Paid): void {
  const matching = rows.filter(row => row['first'] === row['last']).sort(byKey);
  const message = `list ${seed}`;
  assert.deepEqual(paid['rows'], matching, message);
  assert.equal(paid['total'], rows.length, message);
  assert.equal(paid['first_eq_last_n'], matching.length, message);
  assert.equal(paid['claimed_eq_n'], matching.filter(row => row['claimed'] === true).length, message);
  assert.equal(paid['ratio'], rows.length === 0 ? 0 : matching.length / rows.length, message);
}

/** Compares by code points, like the bytes of UTF-8. JavaScript compares the halves of surrogate pairs. */
function byKey(a: ListRow, b: ListRow): number {
  return Buffer.compare(Buffer.from(String(a['url'])), Buffer.from(String(b['url'])));
}
