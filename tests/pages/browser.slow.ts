import assert from 'node:assert/strict';
import {cp, readFile, rm} from 'node:fs/promises';
import {join, relative} from 'node:path';
import {after, before, describe, test} from 'node:test';
import axe from '../extra/axe-core.js';
import type {Browser, Page} from '../extra/playwright-core.js';
import {parse} from 'yaml';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {serve} from '../build/serve.ts';
import {emptySite, type SiteFixture} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';
import {EXAMPLE} from '../example/example.ts';
import {PROJECT} from '../project.ts';
import {launch, noBrowser, open, screenshots} from './browser.ts';
import {openShop} from './shop.ts';

const schemes = ['light', 'dark'] as const;
const screens = {desktop: {width: 1280, height: 900}, phone: {width: 390, height: 844}} as const;

/** More products than one page of the list has, with long descriptions. */
const MANY = 295;
const titleOf = (index: number) => `Dead Share No ${index}`;
const isFound = (text: string) => text.includes('9');

async function exampleSite(): Promise<SiteFixture> {
  const site = await emptySite();
  await cp(join(EXAMPLE, 'data'), join(site.root, 'data'), {recursive: true});
  return site;
}

/** A name as long as the longest ones that titles make. */
const BY_CLASS = `softfailsbyclass${'x'.repeat(64)}`;

/** Twelve products, among them one with parts and formats, a bundle, a pass, and queries with one snapshot or only texts. */
async function dozenProducts(): Promise<SiteFixture> {
  const site = await exampleSite();
  const share = await readJson(EXAMPLE, 'data/products/soft-fail-3.json');
  const parts = {parts: 'class', formats: ['json', 'csv'], max_rows: 5};
  await site.write('data/products/by-class.json', {
    ...share,
    title: 'Soft Fails by Class',
    name: BY_CLASS,
    class: ['soft_fail', 'dead'],
    as: 'failed',
    ...parts,
  });
  await site.write('data/products/set.json', {
    title: 'Deny Set',
    kind: 'bundle',
    price: '$0.03',
    bundle: ['softfail3', 'firstlastsame'],
    difference: 'sells two documents in one, for less than both cost separately',
  });
  await site.write('data/products/pass.json', {
    title: 'Webhook and Deny Pass',
    kind: 'bundle',
    price: '$0.40',
    bundle: ['webhookbundle', 'softfail3'],
    next: 4,
    difference: 'includes the next snapshots',
  });
  await site.write('data/products/origins.json', {
    title: 'First Query',
    kind: 'query',
    price: '$0.01',
    source: 'verified-list',
    figures: 'SELECT count(*) AS total, count(*) FILTER (claimed) AS verified_n FROM rows',
    rows: 'SELECT origin FROM rows ORDER BY origin',
    difference: 'has one snapshot, and no share',
  });
  await site.write('data/products/texts.json', {
    title: 'Texts',
    kind: 'query',
    price: '$0.01',
    source: 'deny-list',
    figures: "SELECT max(class) AS last_class, string_agg(url, ' ' ORDER BY url)[:40] AS first_addresses FROM rows",
    rows: 'SELECT url FROM rows ORDER BY url',
    difference: 'has only figures that are texts',
  });
  for (let index = 0; index < 2; index++)
    await site.write(`data/products/no-${index}.json`, {...share, title: `Soft Fail Copy ${index}`});
  const {code, err} = await site.build();
  assert.equal(code, 0, err);
  return site;
}

async function threeProducts(): Promise<SiteFixture> {
  const site = await exampleSite();
  for (const file of ['class-flips', 'dead-share']) await rm(join(site.root, `data/products/${file}.json`));
  const {code, err} = await site.build();
  assert.equal(code, 0, err);
  return site;
}

async function manyProducts(): Promise<SiteFixture> {
  const site = await exampleSite();
  const product = await readJson(EXAMPLE, 'data/products/dead-share.json');
  const difference = `${String(product['difference'])}, ${'at length '.repeat(12)}told`;
  for (let index = 0; index < MANY; index++)
    await site.write(`data/products/no-${index}.json`, {...product, title: titleOf(index), difference});
  const {code, err} = await site.build();
  assert.equal(code, 0, err);
  return site;
}

describe('the page in Chromium', {skip: noBrowser}, () => {
  let browser: Browser;
  let shop: Listening;
  let products: number;
  let many: SiteFixture;
  let mall: Listening;
  let dozen: SiteFixture;
  let corner: Listening;
  let three: SiteFixture;
  let stall: Listening;

  before(async () => {
    many = await manyProducts();
    mall = await openShop(many.root);
    dozen = await dozenProducts();
    corner = await openShop(dozen.root);
    three = await threeProducts();
    stall = await openShop(three.root);
    products = ((await readJson(EXAMPLE, 'public/api/v1/index.json'))['products'] as unknown[]).length;
    browser = await launch();
    shop = await openShop(EXAMPLE);
  });
  after(async () => {
    await browser.close();
    await shop.stop();
    await mall.stop();
    await corner.stop();
    await stall.stop();
    await many[Symbol.asyncDispose]();
    await dozen[Symbol.asyncDispose]();
    await three[Symbol.asyncDispose]();
  });

  for (const [name, path, addressOf] of [
    ['index', '/', () => shop.url],
    ['not-found', '/404.html', () => shop.url],
    ['classes', '/products/softfail3.html', () => shop.url],
    ['events', '/products/webhookbundle.html', () => shop.url],
    ['query', '/products/classflips.html', () => shop.url],
    ['index-of-3', '/', () => stall.url],
    ['index-of-12', '/', () => corner.url],
    ['index-of-300', '/', () => mall.url],
    ['parts', `/products/${BY_CLASS}.html`, () => corner.url],
    ['bundle', '/products/denyset.html', () => corner.url],
    ['second-page', '/list-2.html', () => mall.url],
  ] as const) {
    test(`${name}: no errors, no findings of axe, and no sideways scroll on any screen`, async () => {
      await using opened = await open(browser, addressOf() + path);
      assert.deepEqual(opened.troubles, []);
      await assertLooksRight(opened.page, name, ['index-of-300', 'second-page'].includes(name));
    });
  }

  test('the page of a 402: no findings of axe, and no sideways scroll on any screen', async () => {
    await using opened = await open(browser, `${shop.url}/api/v1/softfail3`);
    const {page, troubles} = opened;
    assert.equal(troubles.filter(trouble => !trouble.includes('402')).length, 0, troubles.join('\n'));
    assert.equal(await page.locator('h1').textContent(), 'Soft Fail 3');
    await assertLooksRight(page, '402');
  });

  test('the page of the 402 of a part describes the part', async () => {
    await using opened = await open(browser, `${corner.url}/api/v1/${BY_CLASS}-dead`);
    const {page} = opened;
    assert.equal(await page.locator('h1').textContent(), 'Soft Fails by Class, part dead');
    assert.match((await page.locator('.facts').textContent()) ?? '', /11 rows, class dead, JSON, [\d,]+ bytes/);
    await page.getByRole('link', {name: 'figures', exact: true}).click();
    assert.equal(await page.locator('h1').textContent(), 'Soft Fails by Class');
  });

  test('every product of the list has a small chart, also a bundle, a pass, a text and a first snapshot', async () => {
    await using opened = await open(browser, corner.url);
    const {page} = opened;
    const products = await page.locator('.list > li').count();
    assert.equal(products, 12);
    assert.equal(await page.locator('.list > li > svg[role=img]').count(), products);
    assert.equal(await page.getByText('First snapshot, frozen on').count(), 5);
  });

  test('it fits the narrowest supported screen, 320 pixels', async () => {
    await using opened = await open(browser, shop.url);
    await opened.page.setViewportSize({width: 320, height: 640});
    assert.equal(await opened.page.evaluate('document.documentElement.scrollWidth'), 320);
  });

  test('without scripts only the buttons and the age are missing', async () => {
    await using opened = await open(browser, shop.url, {javaScriptEnabled: false});
    const {page, troubles} = opened;
    assert.equal(await page.locator('.list > li').count(), products);
    assert.equal(await page.getByText('30.8%').first().isVisible(), true);
    await page.getByRole('link', {name: 'Soft Fail 3', exact: true}).click();
    assert.equal(await page.locator('h1').textContent(), 'Soft Fail 3');
    assert.ok((await page.locator('svg[role=img]').count()) >= 2);
    assert.equal(await page.getByText('30.8%').first().isVisible(), true);
    assert.equal(await page.locator('button:visible').count(), 0);
    assert.equal(await page.locator('[data-as-of]:visible').count(), 0);
    assert.equal(await page.getByText('1 May 2026, 12:00 UTC').isVisible(), true);
    assert.deepEqual(troubles, []);
  });

  test("dates are in English like the page, and the time is in UTC with the reader's time zone as its title", async () => {
    await using opened = await open(browser, shop.url, {locale: 'de-DE', timezoneId: 'Asia/Tokyo'});
    const {page, troubles} = opened;
    assert.equal(await page.locator('.list time').last().textContent(), '1 May 2026');
    await page.getByRole('link', {name: 'Soft Fail 3', exact: true}).click();
    const moment = page.locator('.offer time');
    assert.equal(await moment.textContent(), '1 May 2026, 12:00 UTC');
    assert.equal(await moment.getAttribute('title'), '1 May 2026 at 21:00');
    assert.deepEqual(troubles, []);
  });

  test("the age depends on the reader's clock", async () => {
    const page = await browser.newPage();
    for (const [now, words] of [
      ['2026-05-01T18:00:00Z', 'today'],
      ['2026-05-03T11:00:00Z', 'yesterday'],
      ['2026-05-13T12:00:00Z', '12 days ago'],
    ]) {
      await page.clock.setFixedTime(now ?? '');
      await page.goto(`${shop.url}/products/softfail3.html`);
      assert.deepEqual(new Set(await page.locator('[data-as-of]:visible').allTextContents()), new Set([words]));
    }
    await page.close();
  });

  test('each button of a product page copies its example, and confirms it', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    await using opened = await open(browser, `${shop.url}/products/softfail3.html`, {permissions});
    const {page, troubles} = opened;
    const buttons = await page.getByRole('button').all();
    assert.equal(buttons.length, 3);
    for (const button of buttons) {
      const example = await page.locator(`#${(await button.getAttribute('data-copies')) ?? ''}`).textContent();
      await button.click();
      await page
        .getByRole('status')
        .filter({hasText: /^Copied$/})
        .waitFor();
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), example);
      assert.match(example ?? '', /https:\/\/snapshots\.example\/api\/v1\/softfail3\b/);
    }
    assert.deepEqual(troubles, []);
  });

  test('the keyboard reaches every link, button and sample, and the focus is visible', async () => {
    await using opened = await open(browser, `${shop.url}/products/classflips.html`);
    const {page} = opened;
    const reachable = await page.locator('a, button:visible, summary, [tabindex]').count();
    const seen = new Set<string>();
    for (let step = 0; step < reachable; step++) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate<[string, string]>(
        '[String([...document.querySelectorAll("*")].indexOf(document.activeElement)), getComputedStyle(document.activeElement).outlineStyle]',
      );
      assert.equal(focused[1], 'solid');
      seen.add(focused[0]);
    }
    assert.equal(seen.size, reachable);
  });

  test('the policy of hosts that send headers does not change the page', async () => {
    using server = await serve(join(EXAMPLE, 'public'));
    await using opened = await open(browser, `${server.url}/products/softfail3`);
    const {page, troubles} = opened;
    assert.deepEqual(troubles, []);
    assert.ok((await page.locator('[data-as-of]:visible').count()) > 0);
    assert.equal(await page.evaluate('getComputedStyle(document.querySelector("main")).display'), 'grid');
  });

  test('the policy allows nothing else to run or load', async () => {
    await using opened = await open(browser, shop.url);
    const {page, troubles} = opened;
    await page.evaluate(`
      document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = true'}));
      document.body.append(Object.assign(document.createElement('img'), {src: 'https://elsewhere.example/pixel.png'}));
      fetch('https://elsewhere.example/').catch(() => {});
    `);
    await page.waitForTimeout(200);
    assert.equal(await page.evaluate('window.ran'), undefined);
    for (const refused of [/inline script violates .* 'script-src/, /Connecting to .* violates/, /image .* "img-src/])
      assert.ok(
        troubles.some(trouble => refused.test(trouble)),
        troubles.join('\n'),
      );
  });

  test('the list of many products is searched on all its pages, in titles and descriptions', async () => {
    await using opened = await open(browser, mall.url);
    const {page, troubles} = opened;
    const cards = page.locator('#list > li:visible');
    const onFirst = await cards.count();
    assert.ok(onFirst > 0 && onFirst < MANY, `${onFirst} products on the first of several pages`);
    await page.getByRole('searchbox').fill('TOLD 9 dead');
    await page.getByText(/^\d+ found$/).waitFor();
    const found = await cards.allTextContents();
    assert.equal(await page.locator('#found').textContent(), `${found.length} found`);
    assert.equal(found.length, Array.from({length: MANY}, (_, index) => titleOf(index)).filter(isFound).length);
    assert.ok(found.every(isFound), found.join());
    await page.getByRole('searchbox').fill('');
    await page.locator('#found', {hasText: /^$/}).waitFor({state: 'attached'});
    assert.equal(await cards.count(), onFirst);
    assert.deepEqual(troubles, []);
  });

  test('a reader gets from the list to a product with links only', async () => {
    await using opened = await open(browser, mall.url, {javaScriptEnabled: false});
    const {page, troubles} = opened;
    await page.getByRole('link', {name: '2', exact: true}).click();
    const link = page.locator('#list h2 a').last();
    const title = (await link.textContent()) ?? '';
    await link.click();
    assert.equal(await page.locator('h1').textContent(), title);
    assert.match(page.url(), /\/products\/[a-z0-9]+\.html$/);
    assert.deepEqual(troubles, []);
  });

  test('the feed is well-formed for a browser', async () => {
    await using opened = await open(browser, shop.url);
    const parsed = await opened.page.context().request.get(`${shop.url}/feed.xml`);
    const name = await opened.page.evaluate<string>(
      `new DOMParser().parseFromString(${JSON.stringify(await parsed.text())}, 'application/xml').documentElement.nodeName`,
    );
    assert.equal(name, 'feed');
  });
});

/**
 * Asserts that a page fits a desktop and a phone in both color schemes, and that axe finds nothing. Saves screenshots.
 * A list of hundreds of products takes seconds each time and has the same cards as a short one, so axe checks it once on
 * each screen and in each scheme, and its screenshots end with the screen.
 */
async function assertLooksRight(page: Page, name: string, isLong = false): Promise<void> {
  await page.evaluate(axe.source);
  for (const [screen, viewport] of Object.entries(screens)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of schemes) {
      await page.emulateMedia({colorScheme});
      assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= viewport.width, screen);
      const path = join(screenshots, `${name}-${screen}-${colorScheme}.png`);
      await page.screenshot({path, fullPage: !isLong});
      if (isLong && (screen === 'desktop') !== (colorScheme === 'light')) continue;
      const {violations} = await page.evaluate<{violations: unknown[]}>('axe.run()');
      assert.deepEqual(violations, [], `${screen}, ${colorScheme}`);
    }
  }
}

test('CI stores the screenshots, also those of a failed run', async () => {
  const workflow = parse(await readFile(join(PROJECT, '.github/workflows/ci.yml'), 'utf8')) as Workflow;
  const kept = workflow.jobs.all.steps.find(({uses}) => uses?.startsWith('actions/upload-artifact@'));
  assert.equal(kept?.with?.['path'], `${relative(PROJECT, screenshots)}/`);
  assert.equal(kept.with['if-no-files-found'], 'error');
  assert.equal(kept.if, '${{ !cancelled() }}');
});

interface Workflow {
  readonly jobs: {readonly all: {readonly steps: readonly Step[]}};
}

interface Step {
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}
