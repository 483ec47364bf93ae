import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import axe from 'axe-core';
import type {Browser} from 'playwright-core';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {launch, noBrowser, open, screenshots} from '../pages/browser.ts';
import {fillBooks} from './books.ts';
import {run} from './run.ts';

describe('the page of sales in Chromium', {skip: noBrowser}, () => {
  let browser: Browser;
  let root: string;
  let url: string;

  before(async () => {
    browser = await launch();
    root = await mkdtemp(join(tmpdir(), 'sales-'));
    const ledger = await openLedger(root, 'my.db');
    await fillBooks(ledger);
    await ledger.close();
    const {code, err} = await run('sales', '--root', root, '--ledger-url', 'my.db', '--html', root);
    assert.equal(code, 0, err);
    url = pathToFileURL(join(root, 'sales.html')).href;
  });
  after(async () => {
    await browser.close();
    await rm(root, {recursive: true});
  });

  for (const [screen, viewport] of [
    ['desktop', {width: 1280, height: 900}],
    ['phone', {width: 360, height: 780}],
  ] as const)
    for (const colorScheme of ['light', 'dark'] as const)
      test(`on a ${screen}, ${colorScheme}: no trouble, nothing axe finds, no sideways scroll`, async () => {
        await using opened = await open(browser, url, {viewport, colorScheme});
        const {page, troubles} = opened;
        assert.deepEqual(troubles, []);
        assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= viewport.width);
        await page.evaluate(axe.source);
        const {violations} = await page.evaluate<{violations: unknown[]}>('axe.run()');
        assert.deepEqual(violations, []);
        await page.screenshot({path: join(screenshots, `sales-${screen}-${colorScheme}.png`), fullPage: true});
      });

  test('everything is there without a script, and in words', async () => {
    await using opened = await open(browser, url, {javaScriptEnabled: false});
    const {page} = opened;
    assert.equal(await page.locator('article').count(), 3);
    const first = page.locator('article').first();
    assert.match((await first.textContent()) ?? '', /USDC on Base Sepolia\s+Income\s+0\.19/);
    assert.match((await first.textContent()) ?? '', /Buyers\s+3, of whom 1 came back/);
    assert.match(((await first.locator('svg desc').textContent()) ?? '').trim(), /^\d{4}-\d\d-\d\d: 0\.19\.$/);
  });
});
