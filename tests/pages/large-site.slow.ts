import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import type {Page} from '../../build/pages/page.ts';
import {
  CLASS_SHARE,
  DENY_SCHEMA,
  denySite,
  emptySite,
  SAME_TIMESTAMPS,
  VERIFIED_SCHEMA,
} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';
import {composed, madeUp} from './made-up.ts';
import {readXml} from './xml.ts';

const occurrences = (text: string, part: string) => text.split(part).length - 1;

test('each of two hundred products has a page, and every page is below 100 KB', async () => {
  await using site = await denySite();
  for (let index = 0; index < 199; index++)
    await site.write(`data/products/${index}.json`, {...CLASS_SHARE, title: `Product No ${index}`, examples: 1000});
  assert.equal((await site.build()).code, 0);
  const {files} = (await readJson(site.root, 'public/api/v1/index.json')) as {files: {path: string; bytes: number}[]};
  const pages = files.filter(({path}) => path.endsWith('.html'));
  for (const {path, bytes} of pages) assert.ok(bytes < 100_000, `${path}: ${bytes}`);
  const lists = pages.filter(({path}) => /^\/(index|list-\d+)\.html$/.test(path));
  assert.ok(lists.length > 1);
  const texts = await Promise.all(lists.map(({path}) => readFile(join(site.root, 'public', path), 'utf8')));
  const linked = texts.flatMap(text => [...text.matchAll(/href="(\/products\/[^"#]*)"/g)].map(([, path]) => path));
  const own = pages.filter(({path}) => path.startsWith('/products/')).map(({path}) => path);
  assert.equal(own.length, 200);
  for (const {path, bytes} of pages) if (own.includes(path)) assert.ok(bytes <= 12_288, `${path}: ${bytes}`);
  assert.deepEqual(new Set(linked), new Set(own), 'all are included');
});

test('the page shows some of many rows, and says how many more the sample has', async () => {
  await using site = await emptySite();
  await site.write('data/products/one.json', {...CLASS_SHARE, examples: 200});
  const rows = Array.from({length: 200}, (_, index) => `https://r${index}.example/,soft_fail`);
  await site.freeze({source: 'deny-list', files: {'a.csv': `url,class\n${rows.join('\n')}\n`}, schema: DENY_SCHEMA});
  assert.equal((await site.build()).code, 0);
  const page = await readFile(join(site.root, 'public/products/softfail3.html'), 'utf8');
  const shown = occurrences(page, '<td>https://');
  assert.ok(shown >= 3 && page.includes(`${200 - shown} more rows in the free sample.`), `${shown} rows`);
});

test('many classes with long names, many groups and many snapshots keep the page small', async () => {
  await using site = await emptySite();
  const classes = Array.from({length: 180}, (_, index) => `class ${index} ${'of a long name '.repeat(20)}`);
  const [url, kind] = DENY_SCHEMA.fields;
  const fields = [url, {...kind, constraints: {required: true, enum: classes}}, {name: 'region', type: 'string'}];
  for (let day = 1; day <= 25; day++) {
    const rows = classes.map(
      (name, index) => `https://r${index}.example/,${name},region ${(index + day) % 90} ${'x'.repeat(300)}`,
    );
    await site.freeze({
      source: 'deny-list',
      date: new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10),
      files: {'a.csv': `url,class,region\n${rows.join('\n')}\n`},
      schema: {...DENY_SCHEMA, fields},
    });
  }
  const share = {...CLASS_SHARE, class: classes.slice(0, 90), as: 'half', by: 'region'};
  await site.write('data/products/soft-fail-3.json', share);
  const {code, err} = await site.build();
  assert.equal(code, 0, err);
  const page = await readFile(join(site.root, 'public/products/softfail3.html'));
  assert.ok(page.length <= 12_288, `${page.length} bytes`);
  const index = await readFile(join(site.root, 'public/index.html'));
  assert.ok(index.length <= 12_288, `${index.length} bytes`);
});

test('many origins are drawn as fifty dots in proportion, and few as a dot each', async () => {
  for (const [total, equal, dots, filled] of [
    [7, 3, 7, 3],
    [1000, 251, 50, 13],
  ] as const) {
    await using site = await emptySite();
    await site.write('data/products/one.json', SAME_TIMESTAMPS);
    const row = (index: number) =>
      `https://r${index}.example/,2026-04-01 09:00 ET,2026-04-0${index < equal ? 1 : 2} 09:00 ET,true`;
    const csv = `origin,first,last,claimed\n${Array.from({length: total}, (_, index) => row(index)).join('\n')}\n`;
    await site.freeze({source: 'verified-list', files: {'a.csv': csv}, schema: VERIFIED_SCHEMA});
    const {code, err} = await site.build();
    assert.equal(code, 0, err);
    const page = await readFile(join(site.root, 'public/products/firstlastsame.html'), 'utf8');
    const [picture = ''] = /<svg\s+class="dots".*?<\/svg>/s.exec(page) ?? [];
    assert.equal(occurrences(picture, '<circle'), dots);
    const [claimed = ''] = /<g class="claimed">.*?<\/g>/s.exec(picture) ?? [];
    assert.equal(occurrences(claimed, '<circle'), filled);
    assert.equal(page.includes('Each dot is 2% of 1,000 origins'), total === 1000);
  }
});

test('an empty list has a page', async () => {
  await using site = await emptySite();
  await site.write('data/products/one.json', CLASS_SHARE);
  await site.freeze({source: 'deny-list', files: {'a.csv': 'url,class\n'}, schema: DENY_SCHEMA});
  const {code, err} = await site.build();
  assert.equal(code, 0, err);
  for (const name of ['index.html', 'products/softfail3.html']) {
    const page = await readFile(join(site.root, 'public', name), 'utf8');
    assert.ok(page.includes('0 of 0 rows are classed soft_fail'));
    assert.doesNotMatch(page, /NaN|undefined|Infinity/);
  }
});

interface Listed {
  readonly loc: string;
}

test('26,000 products have a site: the first of them in OpenAPI and the sitemap, and no page that grows', async () => {
  const records = madeUp(26_000);
  const {texts, listed} = await composed(records, ['serve', 'github-pages']);
  const textOf = (path: string) => texts.get(`public${path}`) ?? '';
  for (const path of ['/index.html', '/llms.txt']) assert.ok(textOf(path).length < 110_000, path);
  assert.ok(textOf('/openapi.json').length < 3_000_000);
  const sitemap = textOf('/sitemap.xml');
  const {urlset} = readXml(sitemap) as {urlset: {url: Listed[]}};
  assert.ok(sitemap.length < 50_000_000, 'the limit of the format');
  const expected = records.flatMap(({name}) => [`/products/${name}.html`, `/api/v1/samples/${name}.json`]);
  assert.deepEqual(
    urlset.url.map(({loc}) => new URL(loc).pathname),
    ['/', ...expected].slice(0, 45_000),
  );
  const types = new Map(listed.map(({path, type}) => [path, type]));
  assert.equal(types.get('/sitemap.xml'), 'application/xml; charset=utf-8');
  assert.ok(textOf('/serve.json').includes('"source": "/sitemap.xml"'));
});

test('a host with a smaller limit for files is named, with the remedy', async () => {
  await assert.rejects(composed(madeUp(26_000), ['cloudflare', 'serve']), {
    name: 'InputError',
    message:
      /^public\/api\/v1\/index\.json: size \d+ has more than the 26214400 bytes that cloudflare accepts: .*\ndata\/site\.json: hosts may not contain cloudflare/m,
  });
});

test('an additional page is listed, served with its type, and linked from its place', async () => {
  const page: Page = {
    path: '/changes.csv',
    type: 'text/csv; charset=utf-8',
    relation: 'alternate',
    listed: {
      index: ['Changes', 'A row for each.'],
      llms: ['Changes', 'a row for each'],
      openapi: ['changes', 'Changes'],
    },
    compose: () => 'name\n',
  };
  const {texts, listed} = await composed(madeUp(2), ['cloudflare', 'serve'], [page]);
  assert.ok(listed.some(({path, type}) => path === page.path && type === page.type));
  for (const [file, part] of [
    ['index.html', '<a href="/changes.csv">Changes</a>'],
    ['llms.txt', '- [Changes](https://snapshots.example/changes.csv): a row for each'],
    ['openapi.json', '"operationId": "changes"'],
    ['serve.json', '"source": "/changes.csv"'],
    ['_headers', '/changes.csv\n  Content-Type: text/csv; charset=utf-8'],
  ] as const)
    assert.ok(texts.get(`public/${file}`)?.includes(part), file);
});
