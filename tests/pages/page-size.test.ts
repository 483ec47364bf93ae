import assert from 'node:assert/strict';
import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {MOST_BYTES} from '../../build/pages/product/product-page.ts';
import {emptySite, SITE, type SiteFixture} from '../build/site-fixture.ts';
import {EXAMPLE} from '../example/example.ts';
import {PROJECT} from '../project.ts';

const required = {required: true};
const CLASSES = Array.from({length: 12}, (_, n) => `Sea number ${n + 1}`);
const PARTS = 30;
const SCHEMA = {
  fields: [
    {name: 'code', type: 'string', title: 'Code', description: 'The code of the harbour.', constraints: required},
    {name: 'country', type: 'string', title: 'Country', constraints: required},
    {name: 'sea', type: 'string', constraints: {...required, enum: CLASSES}},
    {name: 'is_open', type: 'boolean', constraints: required},
    {name: 'depth', type: 'integer', unit: 'm', constraints: required},
  ],
  primaryKey: ['code'],
};
const HARBOURS = {
  title: 'Harbours by Sea',
  kind: 'class-share',
  column: 'sea',
  class: CLASSES.slice(0, 6),
  as: 'south',
};
const IN_PARTS = {...HARBOURS, by: 'is_open', parts: 'country', formats: ['json', 'csv', 'parquet'], max_rows: 1000};

/** A site with twelve snapshots of a list with these columns, and its licence and origin. */
async function harbours(products: readonly object[], site: object = {}): Promise<SiteFixture> {
  const fixture = await emptySite();
  await fixture.write('data/site.json', {
    ...{...SITE, base_url: 'https://lists-of-harbours.example', description: 'What invented harbours are like.'},
    ...{contact: {email: 'hello@harbours.example'}, license: {name: 'CC BY 4.0', url: 'https://harbours.example/cc'}},
    ...site,
  });
  for (let month = 1; month <= 12; month++) {
    const rows = Array.from({length: 360 + month}, (_, n) =>
      [`H${n}`, `C${n % PARTS}`, CLASSES[(n >> 5) % 12], n % 3 === 0, (n * month) % 30].join(),
    );
    await fixture.freeze({
      ...{source: 'harbours', date: `2026-${String(month).padStart(2, '0')}-01`, schema: SCHEMA},
      files: {'harbours.csv': `code,country,sea,is_open,depth\n${rows.join('\n')}\n`},
      descriptor: {
        ...{title: 'Register of harbours', description: 'Invented for a test.'},
        licenses: [{name: 'ODbL-1.0', title: 'Open Database License', path: 'https://harbours.example/odbl'}],
        sources: [{title: 'The register', path: 'https://register.example/'}],
      },
    });
  }
  for (const [index, product] of products.entries())
    await fixture.write(`data/products/${index}.json`, {
      ...{
        price: '$0.05',
        source: 'harbours',
        difference: 'lists the harbours of some seas, in a file for each country',
      },
      ...product,
    });
  const {code, err} = await fixture.build();
  assert.equal(code, 0, err);
  return fixture;
}

/** Returns the pages of the products below a root, by their names. */
async function pagesIn(root: string): Promise<Record<string, string>> {
  const folder = join(root, 'public/products');
  const read = async (name: string) => [name, await readFile(join(folder, name), 'utf8')] as const;
  return Object.fromEntries(await Promise.all((await readdir(folder)).map(read)));
}

function assertSmall(pages: Readonly<Record<string, string>>): void {
  for (const [name, page] of Object.entries(pages)) {
    const bytes = Buffer.byteLength(page);
    assert.ok(bytes <= MOST_BYTES, `${name} has ${bytes} bytes`);
  }
}

describe('a product page has at most 12 KB', () => {
  test('of each product of the demonstration site and of the example', async () => {
    assertSmall(await pagesIn(PROJECT));
    assertSmall(await pagesIn(EXAMPLE));
  });

  test('with 12 classes, 30 parts in three formats and 12 snapshots, and shows some of each', async () => {
    await using site = await harbours([IN_PARTS]);
    const pages = await pagesIn(site.root);
    assertSmall(pages);
    const page = pages['harboursbysea.html'] ?? '';
    const count = (pattern: RegExp) => page.match(pattern)?.length;
    assert.equal(count(/<span>Sea number \d+<\/span>/g), 8);
    assert.match(page, />4 more in the free sample\.</);
    assert.equal(count(/<th scope="row">Country C\d+<\/th>/g), 3);
    assert.match(page, />28 more in <a/);
    assert.match(page, /<h2>Over 12 snapshots<\/h2>/);
  });

  test('with a title and name of 80 characters, a bundle of ten products, and two networks', async () => {
    const copies = Array.from({length: 10}, (_, n) => ({...HARBOURS, title: `Harbours by Sea, Copy ${n}`}));
    const bundle = copies.map((_, n) => `harboursbyseacopy${n}`);
    const [accepted] = SITE.payment.accepts;
    const accepts = ['eip155:8453', 'eip155:137'].map(network => ({...accepted, network}));
    await using site = await harbours(
      [
        ...copies,
        {title: 'All Copies of the Harbours', kind: 'bundle', bundle, source: undefined},
        {...IN_PARTS, title: 'T'.repeat(80)},
      ],
      {payment: {...SITE.payment, accepts}},
    );
    assertSmall(await pagesIn(site.root));
  });
});
