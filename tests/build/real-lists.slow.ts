import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {test} from 'node:test';
import {emptySite} from './site-fixture.ts';
import {readJson} from './tree.ts';

const list = (name: string) => readFile(new URL(`../lists/${name}`, import.meta.url), 'utf8');
/** Counts independently of the generator: from the lines of a list without quotes, split at the commas. */
const cut = (csv: string) =>
  csv
    .trim()
    .split('\n')
    .slice(1)
    .map(line => line.split(','));

const CLASSES = [
  'active',
  'accepted',
  'april_fool',
  'deferred',
  'draft',
  'final',
  'rejected',
  'superseded',
  'withdrawn',
];

/** The real lists: 736 Python Enhancement Proposals, in the public domain. */
async function pepSite() {
  const site = await emptySite();
  await site.write('data/products/rejected.json', {
    title: 'Rejected Share',
    kind: 'class-share',
    price: '$0.03',
    source: 'pep-status',
    class: 'rejected',
    examples: 5,
    difference: 'reports the share of rejected proposals',
  });
  await site.write('data/products/same.json', {
    title: 'Never Touched Again',
    kind: 'same-timestamps',
    price: '$0.01',
    source: 'pep-verified',
    difference: 'counts the proposals that were never edited after the first commit',
  });
  const text = (name: string) => ({name, type: 'string', constraints: {required: true}});
  await site.freeze({
    source: 'pep-status',
    files: {'pep-status.csv': await list('pep-status.csv')},
    schema: {
      fields: [
        text('url'),
        {name: 'class', type: 'string', constraints: {required: true, enum: CLASSES}},
        {name: 'number', type: 'integer', constraints: {unique: true}},
        text('title'),
        text('created'),
        text('type'),
      ],
      primaryKey: 'url',
    },
  });
  await site.freeze({
    source: 'pep-verified',
    files: {'pep-verified.csv': await list('pep-verified.csv')},
    schema: {
      fields: [
        text('origin'),
        text('first'),
        text('last'),
        {name: 'claimed', type: 'boolean', constraints: {required: true}},
      ],
      primaryKey: ['origin'],
    },
  });
  return site;
}

test('the share of rejected proposals is 131 of 736', async () => {
  await using site = await pepSite();
  assert.equal((await site.build()).err, '');
  const sample = await readJson(site.root, 'public/api/v1/samples/rejectedshare.json');
  const statuses = cut(await list('pep-status.csv')).map(columns => columns[1]);
  assert.equal(sample['rows_n'], 736);
  assert.equal(sample['rejected_n'], 131);
  assert.equal(sample['rejected_ratio'], 131 / 736);
  assert.deepEqual(
    sample['counts'],
    Object.fromEntries([
      ...CLASSES.map(name => [name, statuses.filter(status => status === name).length]),
      ['total', 736],
    ]),
  );
  assert.equal((sample['examples'] as unknown[]).length, 5);
});

test('the paid document has all 131 rows with all columns, in the order of the key', async () => {
  await using site = await pepSite();
  await site.build();
  const paid = await readJson(site.root, 'public/api/v1/rejectedshare');
  const rows = paid['rows'] as Record<string, unknown>[];
  assert.equal(rows.length, 131);
  assert.equal(paid['rows_total'], 131);
  assert.deepEqual(Object.keys(rows[0] ?? {}), ['url', 'class', 'number', 'title', 'created', 'type']);
  const urls = rows.map(row => String(row['url']));
  assert.deepEqual(urls, urls.toSorted());
  assert.ok(rows.every(row => row['class'] === 'rejected' && Number.isInteger(row['number'])));
});

test('6 of 736 proposals have equal timestamps, 4 of them claimed: partly collapsed', async () => {
  await using site = await pepSite();
  await site.build();
  const sample = await readJson(site.root, 'public/api/v1/samples/nevertouchedagain.json');
  const equal = cut(await list('pep-verified.csv')).filter(([, first, last]) => first === last);
  assert.equal(equal.length, 6);
  assert.deepEqual(
    {
      total: sample['total'],
      n: sample['first_eq_last_n'],
      ratio: sample['ratio'],
      claimed: sample['claimed_eq_n'],
      class: sample['class'],
    },
    {
      total: 736,
      n: equal.length,
      ratio: 6 / 736,
      claimed: equal.filter(columns => columns[3] === 'true').length,
      class: 'partly_collapsed',
    },
  );
  assert.equal(sample['claimed_eq_n'], 4);
});
