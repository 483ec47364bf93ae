import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Browser} from '../extra/playwright-core.js';
import {readTree} from '../build/tree.ts';
import {BREAKERS, breakingSite, CLASS, COLUMN, ROW} from './breaking-site.ts';
import {launch, noBrowser, open} from './browser.ts';
import {openShop} from './shop.ts';

test(
  'texts that try to break out of a page are shown as text: nothing runs, and every title is unchanged',
  {skip: noBrowser},
  async () => {
    await using site = await breakingSite();
    const files = await readTree(`${site.root}/public`);
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
      `new DOMParser().parseFromString(${JSON.stringify(Buffer.from(files['feed.xml'] ?? '', 'latin1').toString())}, 'application/xml').querySelector('entry:nth-of-type(4) title').textContent`,
    );
    assert.equal(feed, `3 ${BREAKERS[3]?.replace('\ufffe', '\ufffd') ?? ''}, 1 May 2026`);
    await page.goto(`${shop.url}/404.html`);
    assert.equal(await page.title(), `Not found: ${BREAKERS[0] ?? ''}`);
    assert.deepEqual(troubles, []);
  },
);
