import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Page} from '../extra/playwright-core.js';
import {balanceOf, fundedBuyer} from '../../scripts/local-chain/chain.ts';
import {launch, launchWithData, noBrowser} from '../pages/browser.ts';
import {customerOf, openCheckoutShop, PATH, type CheckoutShop} from './checkout-shop.ts';
import {TestWallet} from './wallet.ts';

const PRICE = 20_000n;

describe('the payment that the checkout stores', {skip: noBrowser}, () => {
  let shop: CheckoutShop;
  before(async () => {
    shop = await openCheckoutShop();
  });
  after(() => shop[Symbol.asyncDispose]());

  async function pay(page: Page) {
    for (const name of [/Test Wallet/, /Pay/]) await page.locator('#checkout').getByRole('button', {name}).click();
  }
  const waitFor = (page: Page, text: RegExp) => page.getByRole('status').filter({hasText: text}).waitFor();

  test('two tabs whose signatures arrive at the same time send one payment', async () => {
    const browser = await launch();
    try {
      await using customer = await customerOf(browser, shop);
      const {wallet} = customer;
      const other = await customer.page.context().newPage();
      await wallet.moveInto(other);
      await other.goto(shop.gate.url + PATH);
      const pages = [customer.page, other];
      const sent = new Set<string>();
      for (const page of pages)
        page.on('request', request => {
          const payment = request.headers()['payment-signature'];
          if (payment) sent.add(payment);
        });
      const asked: (() => void)[] = [];
      wallet.before = ({method}) => {
        if (method !== 'eth_signTypedData_v4') return undefined;
        return new Promise<void>(resolve => {
          asked.push(resolve);
          if (asked.length === pages.length) for (const answer of asked) answer();
        });
      };
      for (const page of pages) await pay(page);
      for (const page of pages) await waitFor(page, /Bought/);
      assert.equal(sent.size, 1);
      assert.equal(await customer.balance(), 50_000n - PRICE);
      await other.close();
    } finally {
      await browser.close();
    }
  });

  test('is on disk before it is sent: after a crash of the browser the document is not paid again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'checkout-'));
    const wallet = new TestWallet(await fundedBuyer(shop.chain, '0.05'), shop.chain);
    const open = async () => {
      const context = await launchWithData(folder);
      const page = await context.newPage();
      await wallet.moveInto(page);
      await page.goto(shop.gate.url + PATH);
      return {context, page};
    };
    try {
      const {context, page} = await open();
      const session = await context.newCDPSession(page);
      const crashed = new Promise(resolve => context.once('close', resolve));
      const payment = new Promise<string>(resolve => {
        page.on('request', request => {
          const header = request.headers()['payment-signature'];
          if (header === undefined) return;
          void session.send('Browser.crash').catch(() => undefined);
          resolve(header);
        });
      });
      await pay(page);
      const headers = {'PAYMENT-SIGNATURE': await payment};
      await crashed;
      let answer = await fetch(shop.gate.url + PATH, {headers});
      // The gate may still work on the request of the browser.
      for (; answer.headers.has('Retry-After'); answer = await fetch(shop.gate.url + PATH, {headers})) await sleep(500);
      assert.equal(answer.status, 200);
      const reopened = await open();
      await waitFor(reopened.page, /Bought/);
      await reopened.context.close();
      assert.equal(await balanceOf(shop.chain, wallet.account.address), 50_000n - PRICE);
    } finally {
      await rm(folder, {recursive: true, force: true});
    }
  });
});
