import type {Browser, Page} from '../extra/playwright-core.js';
import {Hono} from 'hono';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {serveSite, type Running} from '../../paywall/hosts/node.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {type LocalChain, balanceOf, fundedBuyer} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {listen} from '../../scripts/local-chain/listen.ts';
import type {SigningKey} from '../../shared/signing-key.ts';
import {newPage} from '../pages/browser.ts';
import {fixtureSite, type FixtureOptions, type FixtureSite} from '../paywall/fixture-site.ts';
import {signedSite} from '../paywall/signed-site.ts';
import {sharedChain} from '../shared-chain.ts';
import {TestWallet} from './wallet.ts';

export const PATH = '/api/v1/softfail3';

/** A real chain, facilitator and gate. `await using` stops them. */
export interface CheckoutShop extends AsyncDisposable {
  readonly chain: LocalChain;
  readonly site: FixtureSite;
  readonly gate: Running;
  /** Called before each settlement. If it throws, the facilitator does not answer. */
  beforeSettling: () => unknown;
}

export async function openCheckoutShop(options?: FixtureOptions, signingKey?: SigningKey): Promise<CheckoutShop> {
  const site = await (signingKey ? signedSite(options, signingKey) : fixtureSite(options));
  const chain = await sharedChain();
  const facilitator = await startFacilitator(chain);
  const between = await listen(
    new Hono()
      .onError((_, c) => c.text('', 502))
      .get('*', c => fetch(facilitator.url + c.req.path))
      .post('*', async c => {
        if (c.req.path === '/settle') await shop.beforeSettling();
        const headers = {'Content-Type': 'application/json'};
        return fetch(facilitator.url + c.req.path, {method: 'POST', body: await c.req.text(), headers});
      }),
  );
  const gate = await serveSite(await openSite(site.root), {
    port: 0,
    host: '127.0.0.1',
    ledger: await openSqlite(':memory:'),
    facilitatorUrl: between.url,
    signingKey,
    rpcUrl: chain.rpcUrl,
    onError: console.error,
  });
  const shop: CheckoutShop = {
    chain,
    site,
    gate,
    beforeSettling: () => undefined,
    async [Symbol.asyncDispose]() {
      for (const one of [gate, between, facilitator, chain]) await one.stop();
      await site.remove();
    },
  };
  return shop;
}

/** Deletes the payments that the checkout has stored. */
export function forgetPayments(page: Page): Promise<unknown> {
  return page.evaluate(`new Promise((resolve, reject) => {
    const deleting = indexedDB.deleteDatabase('frozen');
    deleting.onsuccess = () => resolve();
    deleting.onerror = () => reject(deleting.error);
  })`);
}

/** A person with a wallet at the page of a 402. */
export interface Customer extends AsyncDisposable {
  readonly page: Page;
  readonly wallet: TestWallet;
  /** Errors of scripts, refusals of the policy, requests to other hosts. */
  readonly troubles: readonly string[];
  /** Waits until the checkout shows a text. */
  readonly waitForText: (words: RegExp) => Promise<void>;
  readonly press: (button: RegExp) => Promise<void>;
  readonly balance: () => Promise<bigint>;
}

export async function customerOf(
  browser: Browser,
  {chain, gate}: CheckoutShop,
  {dollars = '0.05', names, icon}: {dollars?: string; names?: string[]; icon?: string} = {},
): Promise<Customer> {
  const wallet = new TestWallet(await fundedBuyer(chain, dollars), chain);
  const page = await newPage(browser);
  await wallet.moveInto(page, names, icon);
  const troubles: string[] = [];
  page.on('pageerror', error => troubles.push(error.message));
  page.on('console', message => {
    if (!/status of 402|ERR_FAILED/.test(message.text())) troubles.push(message.text());
  });
  page.on('request', request => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(gate.url)) troubles.push(request.url());
  });
  await page.goto(gate.url + PATH);
  return {
    page,
    wallet,
    troubles,
    waitForText: words => page.getByRole('status').filter({hasText: words}).waitFor(),
    press: name => page.locator('#checkout').getByRole('button', {name}).click(),
    balance: () => balanceOf(chain, wallet.account.address),
    async [Symbol.asyncDispose]() {
      await forgetPayments(page);
      await page.close();
    },
  };
}
