import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join, relative} from 'node:path';
import {after, before, describe, test} from 'node:test';
import axe from 'axe-core';
import type {Browser} from 'playwright-core';
import {parse} from 'yaml';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {serve} from '../build/serve.ts';
import {readJson} from '../build/tree.ts';
import {EXAMPLE} from '../example/example.ts';
import {PROJECT} from '../project.ts';
import {launch, noBrowser, open, screenshots} from './browser.ts';
import {openShop} from './shop.ts';

const schemes = ['light', 'dark'] as const;
const screens = {desktop: {width: 1280, height: 900}, phone: {width: 360, height: 780}} as const;

describe('the page in Chromium', {skip: noBrowser}, () => {
  let browser: Browser;
  let shop: Listening;
  let products: number;

  before(async () => {
    products = ((await readJson(EXAMPLE, 'public/api/v1/index.json'))['products'] as unknown[]).length;
    browser = await launch();
    shop = await openShop(EXAMPLE);
  });
  after(async () => {
    await browser.close();
    await shop.stop();
  });

  for (const path of ['/', '/404.html']) {
    for (const [screen, viewport] of Object.entries(screens)) {
      for (const colorScheme of schemes) {
        test(`${path} on a ${screen}, ${colorScheme}: no trouble, nothing axe finds, no sideways scroll`, async () => {
          await using opened = await open(browser, shop.url + path, {viewport, colorScheme});
          const {page, troubles} = opened;
          assert.deepEqual(troubles, []);
          assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= viewport.width);
          await page.evaluate(axe.source);
          const {violations} = await page.evaluate<{violations: unknown[]}>('axe.run()');
          assert.deepEqual(violations, []);
          const name = path === '/' ? 'page' : 'not-found';
          await page.screenshot({path: join(screenshots, `${name}-${screen}-${colorScheme}.png`), fullPage: true});
        });
      }
    }
  }

  for (const colorScheme of schemes) {
    test(`the page of a 402 on a phone, ${colorScheme}: nothing axe finds, no sideways scroll`, async () => {
      const options = {viewport: screens.phone, colorScheme};
      await using opened = await open(browser, `${shop.url}/api/v1/softfail3`, options);
      const {page, troubles} = opened;
      assert.equal(troubles.filter(trouble => !trouble.includes('402')).length, 0, troubles.join('\n'));
      assert.equal(await page.locator('h1').textContent(), 'Soft Fail 3');
      assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= screens.phone.width);
      await page.evaluate(axe.source);
      const {violations} = await page.evaluate<{violations: unknown[]}>('axe.run()');
      assert.deepEqual(violations, []);
    });
  }

  test('it fits the narrowest screen that counts, 320 pixels', async () => {
    await using opened = await open(browser, shop.url, {viewport: {width: 320, height: 640}});
    assert.equal(await opened.page.evaluate('document.documentElement.scrollWidth'), 320);
  });

  test('without a script everything is there but the buttons and the age', async () => {
    await using opened = await open(browser, shop.url, {javaScriptEnabled: false});
    const {page, troubles} = opened;
    assert.deepEqual(troubles, []);
    assert.equal(await page.locator('article').count(), products);
    assert.ok((await page.locator('article svg[role=img]').count()) > products);
    assert.equal(await page.getByText('30.8%').first().isVisible(), true);
    assert.equal(await page.getByText('"soft_fail_ratio"').first().isVisible(), true);
    assert.equal(await page.locator('button:visible').count(), 0);
    assert.equal(await page.locator('[data-as-of]:visible').count(), 0);
  });

  test("the age is told by the reader's clock", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    for (const [now, words] of [
      ['2026-05-01T18:00:00Z', 'today'],
      ['2026-05-03T11:00:00Z', 'yesterday'],
      ['2026-05-13T12:00:00Z', '12 days ago'],
    ]) {
      await page.clock.setFixedTime(now ?? '');
      await page.goto(shop.url);
      assert.deepEqual(new Set(await page.locator('[data-as-of]:visible').allTextContents()), new Set([words]));
    }
    await context.close();
  });

  test('each button copies its example, and says so', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    await using opened = await open(browser, shop.url, {permissions});
    const {page, troubles} = opened;
    const buttons = await page.getByRole('button').all();
    assert.equal(buttons.length, 2 * products);
    for (const button of buttons) {
      const example = await page.locator(`#${(await button.getAttribute('data-copies')) ?? ''}`).textContent();
      await button.click();
      await page
        .getByRole('status')
        .filter({hasText: /^Copied$/})
        .waitFor();
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), example);
      assert.match(example ?? '', /https:\/\/snapshots\.example\/api\/v1\/[a-z0-9]+/);
    }
    assert.deepEqual(troubles, []);
  });

  test('the keyboard reaches every link, button and sample, and shows where it is', async () => {
    await using opened = await open(browser, shop.url);
    const {page} = opened;
    const reachable = await page.locator('a, button:visible, pre[tabindex]').count();
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

  test('the policy of hosts that send headers lets the page be what it is', async () => {
    using server = await serve(join(EXAMPLE, 'public'));
    await using opened = await open(browser, server.url, {});
    const {page, troubles} = opened;
    assert.deepEqual(troubles, []);
    assert.ok((await page.locator('[data-as-of]:visible').count()) > 0);
    assert.equal(await page.evaluate('getComputedStyle(document.querySelector("article")).display'), 'grid');
  });

  test('the policy lets nothing else run or load', async () => {
    await using opened = await open(browser, shop.url);
    const {page, troubles} = opened;
    await page.evaluate(`
      document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = true'}));
      document.body.append(Object.assign(document.createElement('img'), {src: 'https://elsewhere.example/pixel.png'}));
      fetch('/api/v1/index.json').catch(() => {});
    `);
    await page.waitForTimeout(200);
    assert.equal(await page.evaluate('window.ran'), undefined);
    for (const refused of [/inline script violates .* 'script-src/, /Connecting to .* violates/, /image .* "img-src/])
      assert.ok(
        troubles.some(trouble => refused.test(trouble)),
        troubles.join('\n'),
      );
  });

  test('the feed is well-formed for a browser too', async () => {
    await using opened = await open(browser, shop.url);
    const parsed = await opened.page.context().request.get(`${shop.url}/feed.xml`);
    const name = await opened.page.evaluate<string>(
      `new DOMParser().parseFromString(${JSON.stringify(await parsed.text())}, 'application/xml').documentElement.nodeName`,
    );
    assert.equal(name, 'feed');
  });
});

test('CI keeps the screenshots, also those of a run that failed', async () => {
  const workflow = parse(await readFile(join(PROJECT, '.github/workflows/ci.yml'), 'utf8')) as Workflow;
  const kept = workflow.jobs.test.steps.find(({uses}) => uses?.startsWith('actions/upload-artifact@'));
  assert.equal(kept?.with?.['path'], `${relative(PROJECT, screenshots)}/`);
  assert.equal(kept.with['if-no-files-found'], 'error');
  assert.equal(kept.if, '${{ !cancelled() }}');
});

interface Workflow {
  readonly jobs: {readonly test: {readonly steps: readonly Step[]}};
}

interface Step {
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}
