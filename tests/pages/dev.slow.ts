import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import type {Browser} from '../extra/playwright-core.js';
import {CLASS_SHARE, denySite, type SiteFixture} from '../build/site-fixture.ts';
import {devProcess, type DevProcess} from '../scripts/dev-process.ts';
import {launch, newPage, noBrowser, open} from './browser.ts';

const PRODUCT = 'data/products/soft-fail-3.json';

describe('frozen dev in Chromium', {skip: noBrowser}, () => {
  let browser: Browser;
  let site: SiteFixture;
  let dev: DevProcess;
  before(async () => {
    browser = await launch();
    site = await denySite();
    await site.write(PRODUCT, '{');
    dev = await devProcess(site.root, '--port', '0');
  });
  after(async () => {
    await dev[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
    await browser.close();
  });

  test('if the first build fails, the page shows the reason, and the site when it is fixed', async () => {
    await using opened = await open(browser, dev.url);
    await opened.page.getByRole('alert').getByText('data/products/soft-fail-3.json:1').waitFor();
    await site.write(PRODUCT, CLASS_SHARE);
    await opened.page.getByText('Soft Fail 3').first().waitFor();
  });

  test('a page shows the new price after an edit, and also runs its own script', async () => {
    await using opened = await open(browser, `${dev.url}/products/softfail3.html`);
    const {page, troubles} = opened;
    await page.getByText('$0.02').first().waitFor();
    assert.ok((await page.getByRole('button').count()) > 0);
    await site.write(PRODUCT, {...CLASS_SHARE, price: '$0.07'});
    await page.getByText('$0.07').first().waitFor();
    assert.deepEqual(
      troubles.filter(trouble => !trouble.startsWith('failed: ') || !trouble.endsWith('/.dev/events')),
      [],
    );
    assert.doesNotMatch(await readFile(join(site.root, 'public/index.html'), 'utf8'), /\.dev/);
  });

  test('a fault is shown over the page with its line, as in the terminal, until it is fixed', async () => {
    await using opened = await open(browser, `${dev.url}/api/v1/softfail3`);
    const alert = opened.page.getByRole('alert');
    await site.write(PRODUCT, {...CLASS_SHARE, price: '2 cents <b>'});
    await alert.waitFor();
    const line = /data\/products\/soft-fail-3\.json:4: price "2 cents <b>" is not .*/;
    assert.match((await alert.textContent()) ?? '', line);
    await dev.wrote(line);
    await site.write(PRODUCT, {...CLASS_SHARE, price: '$0.03'});
    await opened.page.getByText('$0.03').first().waitFor();
    assert.equal(await alert.count(), 0);
    await site.write(PRODUCT, '{');
    await alert.waitFor();
    // The text is the old one, so the page does not reload.
    await site.write(PRODUCT, {...CLASS_SHARE, price: '$0.03'});
    await alert.waitFor({state: 'detached'});
  });

  test('a removed path shows a page with a link to the site, until the path is back', async () => {
    const paid = `${dev.url}/api/v1/softfail3`;
    await using opened = await open(browser, paid);
    const {page} = opened;
    await site.write(PRODUCT, {...CLASS_SHARE, title: 'Soft Fail 4'});
    await page.getByText('No document exists at this address').waitFor();
    assert.equal(await page.getByRole('link', {name: 'See what is for sale'}).getAttribute('href'), '/');
    assert.equal(page.url(), paid);
    const answer = await fetch(paid);
    assert.deepEqual([answer.status, answer.headers.get('Content-Type')], [404, 'application/problem+json']);
    await site.write(PRODUCT, CLASS_SHARE);
    await page.getByRole('heading', {name: 'Soft Fail 3', exact: true}).waitFor();
    assert.equal((await page.reload())?.status(), 402);
  });

  test('no other site can read or frame a paid document', async () => {
    const paid = `${dev.url}/api/v1/softfail3`;
    const secret = 'https://b.example/';
    const page = await newPage(browser);
    // Another origin, on this machine.
    await page.route('http://elsewhere.localhost/', route =>
      route.fulfill({contentType: 'text/html', body: '<title>other</title>'}),
    );
    await page.goto('http://elsewhere.localhost/');
    const read = await page.evaluate<string>(
      `fetch('${paid}', {headers: {Accept: 'text/html'}}).then(answer => answer.text()).catch(error => 'refused')`,
    );
    assert.ok(!read.includes(secret), read);
    await page.evaluate(`document.body.append(Object.assign(document.createElement('iframe'), {src: '${paid}'}))`);
    await page.waitForTimeout(500);
    for (const frame of page.frames().slice(1)) assert.ok(!(await frame.content()).includes(secret));
    await page.close();
  });

  test('a paid path shows its price and, marked as a preview, the document', async () => {
    const since = dev.written().length;
    await site.freeze({
      source: 'deny-list',
      files: {'deny-list.csv': 'url,class\nhttps://a.example/<script>alert(1)</script>,soft_fail\n'},
      schema: {
        fields: [
          {name: 'url', type: 'string'},
          {name: 'class', type: 'string', constraints: {enum: ['soft_fail'], required: true}},
        ],
        primaryKey: ['url'],
      },
    });
    await dev.wrote(/^built: /m, since);
    await using opened = await open(browser, `${dev.url}/api/v1/softfail3`);
    const {page, troubles} = opened;
    assert.deepEqual(
      troubles.filter(trouble => !trouble.includes('402')),
      [],
    );
    assert.equal(await page.locator('h1').textContent(), 'Soft Fail 3');
    const shown = await page.getByRole('main').getByRole('region', {name: 'Preview of Soft Fail 3'}).textContent();
    assert.equal(shown, await readFile(join(site.root, 'public/api/v1/softfail3'), 'utf8'));
    assert.equal(await page.locator('pre script').count(), 0);
  });
});
