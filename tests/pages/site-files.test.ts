import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {before, describe, test} from 'node:test';
import {readJson} from '../build/tree.ts';
import {EXAMPLE} from '../example/example.ts';
import {readLlms} from './llms-reader.ts';
import {readXml} from './xml.ts';

const PUBLIC = join(EXAMPLE, 'public');
const ORIGIN = 'https://snapshots.example';
const read = (path: string) => readFile(join(PUBLIC, path), 'utf8');

interface Product {
  readonly name: string;
  readonly title: string;
  readonly as_of: string;
  readonly price: string;
  readonly sample: {readonly url: string; readonly bytes: number; readonly sha256: string};
  readonly paid: {readonly url: string; readonly bytes: number; readonly sha256: string};
}

interface Feed {
  readonly id: string;
  readonly updated: string;
  readonly link: readonly Readonly<Record<'@rel' | '@href' | '@type', string>>[];
  readonly entry: readonly {
    readonly id: string;
    readonly title: string;
    readonly updated: string;
    readonly summary: string;
  }[];
}

interface Dataset {
  readonly '@type': string;
  readonly name: string;
  readonly description: string;
  readonly license: string;
  readonly dateModified: string;
  readonly distribution: readonly {
    readonly contentUrl: string;
    readonly contentSize: string;
    readonly sha256: string;
  }[];
  readonly offers: {readonly price: string; readonly priceCurrency: string; readonly url: string};
}

describe('the site files of the example', () => {
  let products: readonly Product[];

  before(async () => {
    products = (await readJson(PUBLIC, 'api/v1/index.json'))['products'] as Product[];
  });

  test('the feed has an entry for each product and as_of, newest first, each with a unique id', async () => {
    const {feed} = readXml(await read('feed.xml')) as {feed: Feed};
    const histories = await Promise.all(products.map(({name}) => readJson(PUBLIC, `api/v1/history/${name}.json`)));
    const moments = histories.flatMap(({points}) => (points as {as_of: string}[]).map(({as_of}) => as_of));
    assert.deepEqual(
      feed.entry.map(({updated}) => updated),
      moments.sort().reverse(),
    );
    assert.equal(new Set(feed.entry.map(({id}) => id)).size, moments.length);
    assert.equal(feed.updated, '2026-05-01T12:00:00.000Z');
    assert.ok(feed.link.some(link => link['@rel'] === 'self' && link['@href'] === `${ORIGIN}/feed.xml`));
    assert.ok(feed.entry.some(({summary}) => summary.includes('5 of 20 rows are classed soft_fail')));
  });

  test('the sitemap lists the pages and the samples, and robots.txt names it', async () => {
    const {urlset} = readXml(await read('sitemap.xml')) as {urlset: {url: {loc: string; lastmod: string}[]}};
    assert.deepEqual(
      urlset.url.map(({loc}) => loc),
      [`${ORIGIN}/`, ...products.flatMap(({name, sample}) => [`${ORIGIN}/products/${name}.html`, sample.url])],
    );
    const robots = await read('robots.txt');
    assert.match(robots, /^Sitemap: https:\/\/snapshots\.example\/sitemap\.xml$/m);
    assert.doesNotMatch(robots, /Disallow/);
  });

  test('the link set names existing files', async () => {
    const text = await read('.well-known/api-catalog');
    const addresses = [...text.matchAll(/"href": "https:\/\/snapshots\.example(\/[^"]*)"/g)].map(
      ([, path]) => path ?? '',
    );
    assert.equal(addresses.length, 4);
    for (const path of addresses) await read(path === '/' ? 'index.html' : path);
  });

  test('each product page describes its product as a data set with licence, dates, files and offer', async () => {
    for (const {name, title, as_of, price, sample, paid} of products) {
      const page = await read(`products/${name}.html`);
      const [, linked = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page) ?? [];
      const dataset = JSON.parse(linked) as Dataset;
      assert.deepEqual([dataset['@type'], dataset.name], ['Dataset', title]);
      assert.equal(dataset.dateModified, as_of);
      assert.equal(dataset.license, 'https://creativecommons.org/publicdomain/zero/1.0/');
      assert.ok(dataset.description.length >= 50 && dataset.description.length <= 5000, 'as search engines require');
      assert.deepEqual(
        dataset.distribution.map(({contentUrl, contentSize, sha256}) => [contentUrl, contentSize, sha256]),
        [sample, paid].map(({url, bytes, sha256}) => [url, `${bytes} B`, sha256]),
      );
      const {price: amount, priceCurrency, url} = dataset.offers;
      assert.deepEqual([`$${amount}`, priceCurrency, url], [price, 'USD', paid.url]);
    }
  });

  test('a product page has at most 12 KB, and the digest of the paid document', async () => {
    for (const {name, paid} of products) {
      const page = await read(`products/${name}.html`);
      assert.ok(page.includes(paid.sha256), paid.url);
      assert.ok(Buffer.byteLength(page) <= 12_288, name);
    }
  });

  test('pages link and load only files that exist', async () => {
    for (const file of ['index.html', '404.html', ...products.map(({name}) => `products/${name}.html`)]) {
      const page = await read(file);
      const addresses = [...page.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, path]) => path ?? '');
      assert.ok(addresses.length >= 4);
      for (const address of new Set(addresses)) {
        const [path = '', id] = address.split('#');
        const target = await read(path === '/' ? 'index.html' : path);
        if (id !== undefined) assert.ok(target.includes(`id="${id}"`), address);
      }
      for (const [, id] of page.matchAll(/href="#([^"]*)"/g)) assert.ok(page.includes(`id="${id ?? ''}"`), id);
    }
  });

  test('a link to the page is shown with its title, its description and an image of that size', async () => {
    const page = await read('index.html');
    const found = page.matchAll(/<meta property="og:([a-z_:]+)" content="([^"]*)"/g);
    const reported = new Map([...found].map(([, name, content]) => [name, content]));
    assert.equal(reported.get('title'), 'Frozen Snapshots');
    assert.equal(reported.get('url'), `${ORIGIN}/`);
    assert.equal(reported.get('image'), `${ORIGIN}/preview.png`);
    const image = await readFile(join(PUBLIC, 'preview.png'));
    assert.deepEqual(image.subarray(1, 4).toString(), 'PNG');
    // The first chunk of a PNG begins with width and height.
    const size = [image.readUInt32BE(16), image.readUInt32BE(20)].map(String);
    assert.deepEqual(size, [reported.get('image:width'), reported.get('image:height')]);
  });

  test('a reader downloads less than 100 KB in total', async () => {
    const page = await read('index.html');
    const loaded = [...page.matchAll(/(?:<script src|rel="(?:icon|stylesheet)" href)="([^"]*)"/g)].map(
      ([, path]) => path ?? '',
    );
    assert.equal(loaded.length, 3);
    const sizes = await Promise.all(['index.html', ...loaded].map(async path => Buffer.byteLength(await read(path))));
    assert.ok(sizes.reduce((total, size) => total + size) < 100_000, sizes.join());
  });

  test('llms.txt has one title, the summary and the prices, and below headings only links to existing files', async () => {
    const text = await read('llms.txt');
    assert.equal(text.match(/^# /gm)?.length, 1);
    const {title, summary, sections} = readLlms(text);
    assert.deepEqual([title, summary.length > 0], ['Frozen Snapshots', true]);
    const [sold = [], ...others] = [...sections.values()];
    assert.deepEqual(
      sold.map(({name, url, note}) => [name, url, note?.split(' ', 1)[0]]),
      products.map(({title, paid, price}) => [title, paid.url, price]),
    );
    for (const {url} of [...sold, ...others.flat()]) if (url.startsWith(ORIGIN)) await read(url.slice(ORIGIN.length));
  });
});
