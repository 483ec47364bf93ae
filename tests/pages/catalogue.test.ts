import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {Ajv2020} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {nextExpected} from '../../build/documents/documents.ts';
import {makeOffer} from '../../paywall/payments/protocol/offer.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {itemsOf} from '../../paywall/site/site.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {CLASS_SHARE, DENY_SCHEMA, denySite, type SiteFixture} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';
import {EXAMPLE} from '../example/example.ts';
import {readLlms} from './llms-reader.ts';
import {readXml} from './xml.ts';

const FILE = 'data/products/soft-fail-3.json';
const DUE = '2026-06-01T12:00:00.000Z';

describe('the metadata of a product in parts and formats with a monthly schedule', () => {
  let site: SiteFixture;
  const read = (path: string) => readFile(join(site.root, 'public', path), 'utf8');

  before(async () => {
    site = await denySite();
    await site.write(FILE, {...CLASS_SHARE, every: 'month', parts: 1, formats: ['json', 'csv']});
    await site.freeze({
      source: 'deny-list',
      date: '2026-04-01',
      files: {'list.csv': 'url,class\nhttps://a.example/,soft_fail\n'},
      schema: DENY_SCHEMA,
    });
    const [url, ...others] = DENY_SCHEMA.fields;
    await site.freeze({
      source: 'deny-list',
      files: {'list.csv': 'url,class\nhttps://a.example/,soft_fail\nhttps://b.example/,soft_fail\n'},
      schema: {...DENY_SCHEMA, fields: [{...url, title: 'Address'}, ...others]},
    });
    const {code, err} = await site.build();
    assert.equal(code, 0, err);
  });
  after(() => site[Symbol.asyncDispose]());

  test('the catalogue has the time of the next snapshot, and the price as text and as a number', async () => {
    const [product] = (await catalogueIn(site.root)).products;
    assert.deepEqual([product?.next_expected, product?.price, product?.usd], [DUE, '$0.02', 0.02]);
    assert.equal(product?.editions?.length, 5);
    assert.deepEqual(product.columns, [
      {name: 'url', type: 'string', title: 'Address'},
      {name: 'class', type: 'string'},
    ]);
  });

  test('OpenAPI describes every member of the catalogue', async () => {
    await assertDescribed(site.root);
    await assertDescribed(EXAMPLE);
  });

  test('the feed has the time of the next snapshot only in the newest entry', async () => {
    const {feed} = readXml(await read('feed.xml')) as {feed: {entry: Record<string, string>[]}};
    assert.deepEqual(
      feed.entry.map(entry => entry['snapshot:next_expected']),
      [DUE, undefined],
    );
  });

  test('llms.txt has it next to the price, and the contents of each part and format', async () => {
    const [first, ...editions] = readLlms(await read('llms.txt')).sections.get('Documents for sale') ?? [];
    assert.match(first?.note ?? '', new RegExp(`^\\$0\\.02 a request, as of \\S+, the next expected ${DUE}\\. It`));
    assert.equal(editions.length, 5);
    assert.match(editions[1]?.note ?? '', /^\$0\.02 a request, rows 2 to 2, 1 row, \d+ bytes\.$/);
  });

  test('OpenAPI has it as text at every paid path', async () => {
    const {paths} = (await readJson(site.root, 'public/openapi.json')) as {
      paths: Record<string, {get: {tags: string[]; description: string}}>;
    };
    const paid = Object.values(paths).filter(({get}) => get.tags.includes('paid'));
    assert.equal(paid.length, 6);
    for (const {get} of paid) assert.ok(get.description.endsWith(`, the next expected ${DUE}.`), get.description);
  });

  test('the extension "snapshot" of the 402 has it', async () => {
    const {rules, catalogue, documents} = await openSite(site.root);
    const item = itemsOf(rules, catalogue).get('/api/v1/softfail3');
    assert.ok(item?.kind === 'paid');
    const {required} = await makeOffer(item, rules, documents);
    const {info, schema} = (required.extensions ?? {})['snapshot'] as {info: {next_expected?: string}; schema: object};
    assert.equal(info.next_expected, DUE);
    assert.ok(new Ajv2020({validateFormats: false}).validate(schema, info));
  });
});

for (const [as_of, every, due] of [
  ['2026-05-01T12:00:00.000Z', 'day', '2026-05-02T12:00:00.000Z'],
  ['2026-12-28T23:59:59.999Z', 'week', '2027-01-04T23:59:59.999Z'],
  ['2026-01-31T00:00:00.000Z', 'month', '2026-02-28T00:00:00.000Z'],
  ['2027-11-30T01:30:00.000Z', 'quarter', '2028-02-29T01:30:00.000Z'],
  ['2028-02-29T12:00:00.000Z', 'year', '2029-02-28T12:00:00.000Z'],
] as const)
  test(`a ${every} after ${as_of} is ${due}`, () => {
    assert.equal(nextExpected(as_of, every), due);
  });

for (const [member, rule] of [
  [{every: 'fortnight'}, /every "fortnight" is not one of day, week, month, quarter, year/],
  [
    {every: 'week', freeze: '2026-05-01'},
    /every "week" promises newer snapshots, but "freeze" always selects the same one/,
  ],
] as const)
  test(`refuses ${JSON.stringify(member)} in a product`, async () => {
    await using site = await denySite();
    await site.write(FILE, {...CLASS_SHARE, ...member});
    const {code, err} = await site.build();
    assert.equal(code, 1);
    assert.match(err, rule);
  });

async function catalogueIn(root: string): Promise<Catalogue> {
  return (await readJson(root, 'public/api/v1/index.json')) as unknown as Catalogue;
}

/** Asserts that the catalogue has only members that its schema in OpenAPI names. */
async function assertDescribed(root: string): Promise<void> {
  const {components} = (await readJson(root, 'public/openapi.json')) as {components: {schemas: {Catalogue: object}}};
  const ajv = new Ajv2020({strictRequired: true, allErrors: true});
  addFormats.default(ajv);
  const validate = ajv.compile(closed(components.schemas.Catalogue));
  assert.ok(validate(await catalogueIn(root)), ajv.errorsText(validate.errors));
}

/** Returns a schema that allows only the members that it names. */
function closed(schema: object): object {
  const text = JSON.stringify(schema).replaceAll('"type":"object"', '"type":"object","unevaluatedProperties":false');
  return JSON.parse(text) as object;
}
