import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {percentOf} from '../../build/kinds/figures/labels.ts';
import {columnTitle} from '../../build/pages/product/examples.ts';
import {changeWords, figureWords, percentWords, shareChangeWords} from '../../build/pages/html/words.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {CLASS_SHARE, denySite, emptySite, SITE, type SiteFixture} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';

const FIELDS = [
  {name: 'code', type: 'string', constraints: {required: true}},
  {name: 'un_member', type: 'boolean', title: 'Member of the UN', constraints: {required: true}},
  {name: 'is_landlocked', type: 'boolean', constraints: {required: true}},
  {name: 'area', type: 'integer', unit: 'km²', constraints: {required: true}},
  {name: 'year', type: 'integer', constraints: {required: true}},
];
const ROWS = ['BR,true,false,8515767,1822', 'BO,true,true,1098581,1825', 'VA,false,true,1,1929'];
const COUNTRIES = {
  source: 'countries',
  files: {'countries.csv': `${FIELDS.map(({name}) => name).join()}\n${ROWS.join('\n')}\n`},
};
const COMMON = {price: '$0.02', source: 'countries', difference: 'lists countries'};

async function built(product: object): Promise<SiteFixture> {
  const site = await emptySite();
  await site.write('data/products/product.json', {...COMMON, ...product, title: 'Product', name: 'product'});
  await site.freeze({...COUNTRIES, schema: {fields: FIELDS, primaryKey: ['code']}});
  assert.equal((await site.build()).err, '');
  return site;
}

const pageOf = ({root}: SiteFixture, path = 'products/product.html') => readFile(join(root, 'public', path), 'utf8');

describe('a page has words for people', () => {
  test('a boolean column is named with its value, because its name can be any word', async () => {
    await using site = await built({kind: 'class-share', column: 'is_landlocked', class: true, by: 'un_member'});
    const page = await pageOf(site);
    assert.match(page, /<h2>By Member of the UN<\/h2>/);
    assert.match(page, /<dt>un_member = true<\/dt>/);
    assert.match(page, /<dt>un_member = false<\/dt>/);
    assert.match(page, /2 of 3 rows have is_landlocked = true/);
    assert.match(page, /<span>is_landlocked = false<\/span>/);
  });

  test('a part has the title of its column, or the name of a boolean column, with the value', async () => {
    const partsOf = async (parts: string) => {
      await using site = await built({
        kind: 'query',
        figures: 'SELECT count(*) AS countries_n FROM rows',
        rows: 'SELECT code, un_member, is_landlocked, area FROM rows ORDER BY code',
        parts,
      });
      const {products} = (await readJson(site.root, 'public/api/v1/index.json')) as unknown as Catalogue;
      return products[0]?.editions?.map(({part}) => part?.holds);
    };
    assert.deepEqual(await partsOf('is_landlocked'), ['is_landlocked = false', 'is_landlocked = true']);
    assert.deepEqual(await partsOf('code'), ['code BO', 'code BR', 'code VA']);
  });

  test('thousands are separated in sentences and in columns with a unit, but not in years', async () => {
    await using site = await built({
      kind: 'query',
      figures: 'SELECT count(*) AS countries_n, sum(area)::BIGINT AS area, max(year) AS last_year FROM rows',
      units: {area: 'km²'},
      rows: 'SELECT code, area, year FROM rows ORDER BY code',
    });
    const {reason} = (await readJson(site.root, 'public/api/v1/samples/product.json')) as {reason: string};
    assert.match(reason, /countries: 3, area: 9,614,349 km², last year: 1929/);
    const page = await pageOf(site);
    assert.match(page, /<td class="number">8,515,767<\/td>\s*<td class="number">1822<\/td>/);
    assert.match(page, /<b>1929<\/b>/);
  });

  test('the index has the count with its label, and other figures as a sentence', async () => {
    const heads = async (figures: string, words: object = {}) => {
      await using site = await built({
        ...{kind: 'query', figures: `SELECT ${figures} FROM rows WHERE is_landlocked`, ...words},
        rows: 'SELECT code FROM rows ORDER BY code',
      });
      const index = await pageOf(site, 'index.html');
      return /<p class="headline">.*<\/p>(\s*<p class="claim">.*<\/p>)?/.exec(index)?.[0].replace(/>\s+</, '><');
    };
    const count = 'count(*) AS landlocked_n';
    assert.equal(await heads(count), '<p class="headline">2 landlocked</p>');
    assert.equal(await heads(count, {units: {landlocked_n: 'landlocked'}}), '<p class="headline">2 landlocked</p>');
    assert.equal(
      await heads(`${count}, max(year) AS last_year`),
      '<p class="headline">2 landlocked</p><p class="claim">Landlocked: 2, last year: 1929</p>',
    );
    const total = {units: {total: 'countries'}};
    assert.equal(await heads('count(*) AS total', total), '<p class="headline">2 countries</p>');
  });

  test('a figure in large type is not repeated among the other figures', async () => {
    const others = async (figures: string) => {
      await using site = await built({
        ...{kind: 'query', figures: `SELECT ${figures} FROM rows`},
        rows: 'SELECT code FROM rows ORDER BY code',
      });
      const [, section] = (await pageOf(site)).split(/<h2>Other figures\s*<\/h2>/);
      return section && [...section.matchAll(/<dt>([A-Z][a-z ]+)<\/dt>\s*<dd>\s*<b>/g)].map(([, label]) => label);
    };
    assert.equal(await others('count(*) AS countries_n'), undefined);
    assert.deepEqual(await others('count(*) AS countries_n, max(year) AS last_year'), ['Last year']);
  });

  test('a figure in large type has its change since the last snapshot', async () => {
    await using site = await built({
      kind: 'query',
      figures: 'SELECT count(*) AS countries_n FROM rows',
      rows: 'SELECT code FROM rows ORDER BY code',
    });
    const files = {'countries.csv': `${COUNTRIES.files['countries.csv']}CH,true,true,41285,1291\n`};
    await site.freeze({...COUNTRIES, date: '2026-06-01', files, schema: {fields: FIELDS, primaryKey: ['code']}});
    assert.equal((await site.build()).err, '');
    assert.match(
      await pageOf(site),
      /<p class="headline">4 countries<\/p>\s*<p class="claim">\+1 since\s*<time [^>]*>1 May 2026<\/time><\/p>/,
    );
    await site.freeze({...COUNTRIES, date: '2026-07-01', files, schema: {fields: FIELDS, primaryKey: ['code']}});
    assert.equal((await site.build()).err, '');
    assert.match(await pageOf(site, 'index.html'), /<li>\s*Unchanged since\s*<time [^>]*>1 June 2026<\/time><\/li>/);
  });

  test('columns with the same title have their names', () => {
    const words = {before: {title: 'Price'}, now: {title: 'Price'}, place: {title: 'Harbour'}};
    assert.deepEqual(
      ['before', 'now', 'place', 'id'].map(name => columnTitle(name, words)),
      ['before', 'now', 'Harbour', 'id'],
    );
  });

  test('the head of a column of numbers is above its digits', async () => {
    await using site = await built({
      kind: 'query',
      figures: 'SELECT count(*) AS countries_n FROM rows',
      rows: "SELECT code, area, 'no number' AS text FROM rows ORDER BY code",
    });
    const [head = ''] = /<thead>.*?<\/thead>/s.exec(await pageOf(site)) ?? [];
    assert.match(head, /<th scope="col">\s*code\s*<\/th>\s*<th class="number" scope="col">\s*area\b/);
    assert.match(head, /<th scope="col">\s*text\b/);
  });

  test('a snapshot without rows says so', async () => {
    await using site = await built({
      kind: 'query',
      figures: 'SELECT count(*) AS countries_n FROM rows',
      rows: "SELECT code FROM rows WHERE code = 'none' ORDER BY code",
    });
    assert.match(await pageOf(site), /Only the figures: this snapshot has no rows\./);
  });

  test('a first snapshot of a share has no empty section for further figures', async () => {
    await using site = await built({kind: 'class-share', column: 'is_landlocked', class: true});
    assert.doesNotMatch(await pageOf(site), /class="figures"/);
  });

  test('only a long text in the sample wraps', async () => {
    await using site = await built({
      kind: 'query',
      figures: 'SELECT count(*) AS countries_n FROM rows',
      rows: "SELECT code, '2026-05-01' AS day, repeat('long ', 9) AS text FROM rows ORDER BY code",
    });
    assert.match(await pageOf(site), /<td>BO<\/td>\s*<td>2026-05-01<\/td>\s*<td class="long">long /);
  });
});

test('a page of a product with long texts and many figures has at most 12 KB', async () => {
  const text = 'a long text '.repeat(14).slice(0, 160).trim();
  const figures = Array.from({length: 25}, (_, n) => `${1_000_000_000 + n} AS ${'figure_'.repeat(6)}${n}`);
  await using site = await emptySite();
  await site.write('data/site.json', {
    ...SITE,
    title: 'T'.repeat(60),
    description: text,
  });
  await site.write('data/products/product.json', {
    ...COMMON,
    ...{title: 'T'.repeat(80), name: 'product', kind: 'query', difference: text},
    figures: `SELECT ${figures.join(', ')}`,
    rows: 'SELECT code, area, year FROM rows ORDER BY code',
  });
  const descriptor = {title: text, description: text, licenses: [{title: text}], sources: [{title: text}]};
  await site.freeze({...COUNTRIES, descriptor, schema: {fields: FIELDS, primaryKey: ['code']}});
  assert.equal((await site.build()).err, '');
  const bytes = Buffer.byteLength(await pageOf(site));
  assert.ok(bytes <= 12_288, `${bytes} bytes`);
});

test('openapi.json mentions further classes only if a product has classes', async () => {
  await using shares = await denySite();
  await using query = await built({
    kind: 'query',
    figures: 'SELECT count(*) AS n FROM rows',
    rows: 'SELECT code FROM rows ORDER BY code',
  });
  await shares.write('data/products/specified.json', {...CLASS_SHARE, title: 'Specified', listed: false});
  assert.equal((await shares.build()).err, '');
  const described = async ({root}: SiteFixture) =>
    ((await readJson(root, 'public/openapi.json')) as {info: {description: string}}).info.description;
  assert.match(await described(shares), /Only counts and class_mix may get further classes/);
  assert.doesNotMatch(await described(query), /class/);
});

describe('numbers on a page', () => {
  test('have the percentages of the documents, in a short form', () => {
    const shares = [0, 0.00001, 0.0004, 0.2875, 0.99951, 1];
    assert.deepEqual(shares.map(percentWords), ['0%', '<0.01%', '0.04%', '28.8%', '>99.9%', '100%']);
    for (let whole = 1; whole <= 200; whole++)
      for (let part = 0; part <= whole; part++) {
        const [, digits = ''] = /([\d.]+) %$/.exec(percentOf(part / whole)) ?? [];
        assert.match(percentWords(part / whole), new RegExp(`^[<>]?${digits}%$`));
      }
  });

  test('change by the difference of the percentages', () => {
    for (const [before, after, says] of [
      [0.3077, 0.346, '+3.8 points'],
      [0.0006, 0.0004, '−0.02 points'],
      [0.9999, 1, 'changed by less than 0.1 points'],
      [0, 0.00001, 'changed by less than 0.1 points'],
      [0, 1, '+100 points'],
    ] as const)
      assert.equal(shareChangeWords(before, after), says);
  });

  test('are 0 only if they are 0', () => {
    const figures = [0, 0.00001234, -0.0004, 1e-7, 9.999e-7, 1234.5678, 1e21, Number.MAX_VALUE];
    const says = ['0', '0.0000123', '−0.0004', '1e-7', '1e-6', '1,234.568', '1e+21', '1.8e+308'];
    assert.deepEqual(
      figures.map(value => figureWords({}, 'mean', value)),
      says,
    );
    assert.equal(figureWords({units: {mean: '%'}}, 'mean', -2.3), '−2.3%');
    assert.equal(figureWords({}, 'what', 'growth in %'), 'growth in %');
    assert.equal(changeWords('mean', 2e-9, 1e-9), '−1e-9');
    assert.equal(changeWords('mean', 0.3, 0.1 + 0.2), 'unchanged');
    assert.equal(changeWords('bytes_n', 1e15, 1e15 + 1), '+1');
  });
});
