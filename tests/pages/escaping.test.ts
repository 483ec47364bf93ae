import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import type {Browser} from 'playwright-core';
import {readLlms} from './llms-reader.ts';
import {readXml} from './xml.ts';
import {fromMarkdown} from 'mdast-util-from-markdown';
import {CLASS_SHARE, emptySite, SITE, type SiteFixture} from '../build/site-fixture.ts';
import {readTree} from '../build/tree.ts';
import {launch, noBrowser, open} from './browser.ts';
import {openShop} from './shop.ts';

/** What ends an element, an attribute, a comment, a section or a link in one of the languages that pages are written in. */
const BREAKERS = [
  '<script>alert(1)</script>',
  '</script><img src=x onerror=alert(2)>',
  `"'><svg onload=alert(3)>`,
  ']]> --> <!-- &lt; &nbsp; &#60; \ufffe',
  '[a](javascript:alert(4)) `b` **c**',
  '${alert(5)} {{6}} \\u003c \\',
];
/** The worst address that is one. */
const ROW = "https://row.example/'&;alert(7)//$(x)";
/** A class and a column of the list, whose names pages show. */
const CLASS = '</svg></li><script>alert(9)</script>';
const COLUMN = '</dd><script>alert(10)</script>';

/** A site all of whose texts try to break out. */
async function nastySite(): Promise<SiteFixture> {
  const site = await emptySite();
  const [title = '', description = ''] = BREAKERS;
  await site.write('data/site.json', {
    ...SITE,
    title,
    description: `${description} ${BREAKERS.join(' ')}`,
    license: {name: BREAKERS.join(' '), url: "https://test.example/'onclick=alert(8)//"},
    contact: {email: 'a&b@test.example', url: 'https://test.example/?a=1&b=(2)'},
  });
  for (const [index, breaker] of BREAKERS.entries())
    await site.write(`data/products/${index}.json`, {
      ...CLASS_SHARE,
      title: `${index} ${breaker}`,
      difference: breaker,
    });
  const schema = {
    fields: [
      {name: 'url', type: 'string'},
      {name: 'class', type: 'string', constraints: {required: true, enum: ['soft_fail', CLASS]}},
      {name: COLUMN, type: 'string'},
    ],
    primaryKey: ['url'],
  };
  const csv = `url,class,${COLUMN}\n${ROW},soft_fail,x\nhttps://z.example/,${CLASS},y\n`;
  await site.freeze({source: 'deny-list', files: {'deny-list.csv': csv}, schema});
  const {code, err} = await site.build();
  assert.equal(code, 0, err);
  return site;
}

describe('texts that try to break out of a page', () => {
  let site: SiteFixture;
  let files: Record<string, string>;
  const textOf = (path: string) => Buffer.from(files[path] ?? '', 'latin1').toString();

  before(async () => {
    site = await nastySite();
    files = await readTree(`${site.root}/public`);
  });
  after(() => site[Symbol.asyncDispose]());

  test('stay text in the page: nothing runs, and every title reads as it was written', {skip: noBrowser}, async () => {
    await using shop = await openShop(site.root);
    await using closing = {browser: await launch(), [Symbol.asyncDispose]: () => closing.browser.close()};
    const browser: Browser = closing.browser;
    await using opened = await open(browser, shop.url);
    const {page, troubles} = opened;
    assert.deepEqual(troubles, []);
    assert.equal(await page.title(), BREAKERS[0]);
    assert.deepEqual(
      await page.locator('.list h2').allTextContents(),
      BREAKERS.map((breaker, index) => `${index} ${breaker}`),
    );
    assert.equal(await page.locator('img:not(.mark), body script, [onload], [onerror], [onclick]').count(), 0);
    assert.equal(await page.locator('script').count(), 2, 'linked data and the one script');
    assert.equal(await page.locator('a[href^="javascript:"]').count(), 0);
    const own = Object.keys(files).filter(path => path.startsWith('products/'));
    assert.equal(own.length, BREAKERS.length);
    const titles: (string | null)[] = [];
    for (const path of own) {
      await page.goto(`${shop.url}/${path}`);
      const title = await page.locator('h1').textContent();
      titles.push(title);
      assert.equal(await page.locator('img:not(.mark), body script, [onload], [onerror], [onclick]').count(), 0);
      assert.equal(await page.locator('script').count(), 2, 'linked data and the one script');
      assert.equal(await page.locator('a[href^="javascript:"]').count(), 0);
      assert.deepEqual(
        new Set(await page.locator('.legend li span:first-of-type').allTextContents()),
        new Set(['soft_fail', CLASS]),
      );
      assert.ok((await page.locator('.offer').textContent())?.includes(COLUMN));
      assert.ok((await page.locator('table').first().textContent())?.includes(ROW));
      const linked = JSON.parse((await page.locator('script').first().textContent()) ?? '') as {name: string};
      assert.equal(linked.name, title);
    }
    assert.deepEqual(new Set(titles), new Set(BREAKERS.map((breaker, index) => `${index} ${breaker}`)));
    const feed = await page.evaluate<string>(
      `new DOMParser().parseFromString(${JSON.stringify(textOf('feed.xml'))}, 'application/xml').querySelector('entry:nth-of-type(4) title').textContent`,
    );
    assert.equal(feed, `3 ${BREAKERS[3]?.replace('\ufffe', '\ufffd') ?? ''}, 1 May 2026`);
    await page.goto(`${shop.url}/404.html`);
    assert.equal(await page.title(), `Not found: ${BREAKERS[0] ?? ''}`);
    assert.deepEqual(troubles, []);
  });

  test('stay text in the feed', () => {
    const {feed} = readXml(textOf('feed.xml')) as {feed: {title: string; entry: {title: string}[]}};
    assert.equal(feed.title, BREAKERS[0]);
    assert.deepEqual(
      feed.entry.map(({title}) => title),
      BREAKERS.map((breaker, index) => `${index} ${breaker.replace('\ufffe', '\ufffd')}, 1 May 2026`),
    );
  });

  test('stay text in llms.txt: the only links are those that were made', () => {
    const found = {text: '', urls: [] as string[], html: 0};
    const walk = (node: {type: string; url?: string; value?: string; children?: unknown[]}) => {
      if (node.type === 'html') found.html++;
      if (node.url !== undefined) found.urls.push(node.url);
      if (node.value !== undefined) found.text += node.value;
      for (const child of node.children ?? []) walk(child as typeof node);
    };
    walk(fromMarkdown(textOf('llms.txt')));
    assert.equal(found.html, 0);
    assert.ok(
      found.urls.every(url => url.startsWith('https://test.example/')),
      found.urls.join('\n'),
    );
    for (const breaker of BREAKERS) assert.ok(found.text.includes(breaker), breaker);
    const {sections} = readLlms(textOf('llms.txt'));
    assert.equal([...sections.values()].flat().length, found.urls.length);
  });
});

for (const [member, value, rule] of [
  ['license', {name: 'x', url: 'javascript:alert(1)'}, /license\.url "javascript:alert\(1\)" is not an absolute http/],
  ['license', {name: 'x', url: 'https://a.example/" onclick="x'}, /license\.url .* is not an absolute http/],
  ['contact', {url: 'data:text/html,x'}, /contact\.url "data:text\/html,x" is not an absolute http/],
  ['contact', {email: 'x" onclick="y'}, /contact\.email .* is not an e-mail address/],
  ['contact', {}, /contact/],
  ['description', 'two\nlines', /description "two\\nlines" is not one line/],
] as const) {
  test(`refuses ${member} ${JSON.stringify(value)} in data/site.json`, async () => {
    await using site = await emptySite();
    await site.write('data/site.json', {...SITE, [member]: value});
    const {code, err} = await site.build();
    assert.equal(code, 1);
    assert.match(err, rule);
  });
}
