import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {after, before, describe, test} from 'node:test';
import axe from '../extra/axe-core.js';
import type {Browser, Page} from '../extra/playwright-core.js';
import type {Hex} from 'viem';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {isFine} from '../../buyer/verify/check.ts';
import {verifyReceipt} from '../../buyer/verify/verify-receipt.ts';
import {network} from '../../scripts/local-chain/chain.ts';
import {newSigningKey} from '../../shared/signing-key.ts';
import {launch, noBrowser, screenshots} from '../pages/browser.ts';
import {payTo} from '../paywall/fixture-site.ts';
import {lengthen} from '../paywall/shop.ts';
import {customerOf, forgetPayments, openCheckoutShop, PATH, type CheckoutShop, type Customer} from './checkout-shop.ts';
import {declined} from './wallet.ts';

const screens = {desktop: {width: 1280, height: 900}, phone: {width: 390, height: 844}};
const PRICE = 20_000n;

describe('the checkout in Chromium, over a real chain', {skip: noBrowser}, () => {
  let browser: Browser;
  let shop: CheckoutShop;
  before(async () => {
    browser = await launch();
    shop = await openCheckoutShop();
  });
  after(async () => {
    await shop[Symbol.asyncDispose]();
    await browser.close();
  });

  const textOf = () => shop.site.files.get(PATH) ?? assert.fail();

  /** Asserts that the customer has the document, for one price. */
  async function assertBought(customer: Customer, paid = PRICE) {
    await customer.waitForText(/Bought/);
    const downloading = customer.page.waitForEvent('download');
    await customer.page.getByRole('link', {name: 'Save the document'}).click();
    const download = await downloading;
    assert.equal(download.suggestedFilename(), 'softfail3.json');
    assert.equal(await text(await download.createReadStream()), textOf());
    assert.equal(await customer.balance(), 50_000n - paid);
    assert.deepEqual(customer.troubles, []);
  }

  for (const [screen, colorScheme] of [
    ['desktop', 'light'],
    ['phone', 'dark'],
  ] as const)
    test(`sells with the keyboard only on a ${screen}, ${colorScheme}, with readable text`, async () => {
      await using customer = await customerOf(browser, shop);
      const {page, wallet, waitForText} = customer;
      await page.setViewportSize(screens[screen]);
      await page.emulateMedia({colorScheme});
      const look = (name: string) => assertReadable(page, `checkout-${name}-${screen}-${colorScheme}`);
      await waitForText(/Choose the wallet/);
      await look('choice');
      await tabTo(page, 'Test Wallet');
      wallet.before = ({method}) => {
        if (method === 'eth_signTypedData_v4') throw declined();
      };
      await page.keyboard.press('Enter');
      await waitForText(/You sign these terms/);
      const reported = (await page.locator('#checkout dl').innerText()).replaceAll(/\s+/g, ' ');
      assert.match(reported, /Soft Fail 3, as of 2026-05-01.* 0\.02 USDC .*0x209693Bc6afc0C5328bA36FaF03C514EF312287C/);
      assert.match(reported, /Base Sepolia .*has 0\.05 USDC/);
      await look('terms');
      await page.keyboard.press('Enter');
      await waitForText(/You declined in the wallet\. Nothing was paid/);
      await look('declined');

      wallet.before = () => undefined;
      const asked = latch();
      const answered = latch();
      shop.beforeSettling = () => {
        asked.open();
        return answered.opened;
      };
      await page.keyboard.press('Enter');
      await waitForText(/You sign these terms/);
      await page.keyboard.press('Enter');
      await asked.opened;
      await waitForText(/on its way/);
      await look('waiting');
      answered.open();
      await waitForText(/Bought/);
      await look('done');
      const hash = /0x[0-9a-f]{64}/.exec(await page.locator('#checkout dl').innerText())?.[0];
      assert.equal((await shop.chain.client.getTransactionReceipt({hash: hash as `0x${string}`})).status, 'success');
      const explorer = page.getByRole('link', {name: String(hash)});
      assert.equal(await explorer.getAttribute('href'), `https://sepolia.basescan.org/tx/${hash}`);
      assert.ok(
        textOf().startsWith((await page.getByRole('region', {name: 'The document'}).innerText()).slice(0, 500)),
      );
      await assertBought(customer);
    });

  test('a refusal by the person leads to a message and a way to continue', async () => {
    await using customer = await customerOf(browser, shop);
    const {wallet, waitForText, press} = customer;
    wallet.chainId = 1;
    const refusing = (refused: string) => {
      wallet.before = ({method}) => {
        if (method === refused) throw declined();
      };
    };
    refusing('eth_requestAccounts');
    await press(/Test Wallet/);
    await waitForText(/You declined in the wallet/);
    refusing('wallet_switchEthereumChain');
    await press(/Test Wallet/);
    await waitForText(/on another network/);
    await press(/Switch to Base Sepolia/);
    await waitForText(/You declined in the wallet/);
    refusing('eth_signTypedData_v4');
    await press(/Try again/);
    await press(/Switch to Base Sepolia/);
    await press(/Pay 0\.02 USDC/);
    await waitForText(/You declined in the wallet/);
    refusing('');
    await press(/Try again/);
    await press(/Pay/);
    await assertBought(customer);
  });

  test('a double click counts as one click, and does not press the button that appears in its place', async () => {
    await using customer = await customerOf(browser, shop);
    const {page, wallet, waitForText} = customer;
    const signing = latch();
    wallet.before = ({method}) => (method === 'eth_signTypedData_v4' ? signing.opened : undefined);
    const buttons = page.locator('#checkout').getByRole('button');
    await buttons.filter({hasText: 'Test Wallet'}).dblclick();
    await buttons.filter({hasText: 'Pay'}).dblclick();
    await waitForText(/Answer in your wallet/);
    signing.open();
    await assertBought(customer);
  });

  test('a wallet that signs with 0 or 1 as v can pay', async () => {
    await using customer = await customerOf(browser, shop);
    const {wallet, press} = customer;
    const {account} = wallet;
    wallet.account = {
      ...account,
      signTypedData: async typed =>
        (await account.signTypedData(typed)).replace(/1b$/, '00').replace(/1c$/, '01') as Hex,
    };
    await press(/Test Wallet/);
    await press(/Pay/);
    await assertBought(customer);
  });

  test('a network that is unknown to the wallet is added to it', async () => {
    await using customer = await customerOf(browser, shop, {names: []});
    const {wallet, press} = customer;
    wallet.known.clear();
    wallet.chainId = 1;
    await press(/The wallet of this browser/);
    await press(/Switch to Base Sepolia/);
    await press(/Pay/);
    await assertBought(customer);
    assert.ok(wallet.asked.includes('wallet_addEthereumChain'));
  });

  test('the buyer chooses between two networks', async () => {
    const accepts = ['eip155:421614', network].map(one => ({network: one, pay_to: payTo}));
    await using two = await openCheckoutShop({accepts});
    await using customer = await customerOf(browser, two);
    const {waitForText, press} = customer;
    await press(/Test Wallet/);
    await waitForText(/on another network\. The price must be paid on Arbitrum Sepolia/);
    await press(/Pay on Base Sepolia instead/);
    await press(/Pay 0\.02 USDC/);
    await assertBought(customer);
  });

  test('too little money is reported before a signature, and another account can pay', async () => {
    await using poor = await customerOf(browser, shop, {dollars: '0.01'});
    await poor.press(/Test Wallet/);
    await poor.waitForText(/This account has 0\.01 USDC, and the document costs 0\.02 USDC/);
    assert.ok(!poor.wallet.asked.includes('eth_signTypedData_v4'));
    await using rich = await customerOf(browser, shop);
    await poor.wallet.change(poor.page, {account: rich.wallet.account});
    await poor.press(/Pay/);
    await assertBought(poor);
  });

  test('a wallet whose node does not answer can pay', async () => {
    await using customer = await customerOf(browser, shop);
    const {wallet, press} = customer;
    wallet.before = ({method}) => (method === 'eth_call' ? new Promise(() => undefined) : undefined);
    await press(/Test Wallet/);
    await press(/Pay/);
    await assertBought(customer);
  });

  test('a signature of the previous account of the wallet is not used', async () => {
    await using customer = await customerOf(browser, shop);
    const {wallet, page, waitForText, press} = customer;
    const signing = latch();
    wallet.before = ({method}) => (method === 'eth_signTypedData_v4' ? signing.opened : undefined);
    await press(/Test Wallet/);
    await press(/Pay/);
    await waitForText(/Answer in your wallet/);
    const {account} = wallet;
    await wallet.change(page, {account: privateKeyToAccount(generatePrivateKey())});
    signing.open();
    await waitForText(/costs 0\.02 USDC|changed in the wallet/);
    wallet.before = () => undefined;
    await wallet.change(page, {account});
    await press(/Pay/);
    await assertBought(customer);
  });

  test('a signature of another account, and a new price, are explained and cost nothing', async () => {
    await using own = await openCheckoutShop();
    await using customer = await customerOf(browser, own);
    const {wallet, page, waitForText, press} = customer;
    const {account} = wallet;
    const {signTypedData} = privateKeyToAccount(generatePrivateKey());
    wallet.account = {...account, signTypedData};
    await press(/Test Wallet/);
    await press(/Pay 0\.02 USDC/);
    await waitForText(/another account signed it\. Nothing was charged/);
    wallet.account = account;
    await press(/Try again/);
    await changePrice(own, '$0.03');
    await press(/Pay 0\.02 USDC/);
    await waitForText(/document or price changed\. Reload the page\. Nothing was charged/);
    assert.equal(await customer.balance(), 50_000n);
    await press(/Reload the page/);
    await press(/Test Wallet/);
    await press(/Pay 0\.03 USDC/);
    await waitForText(/Bought/);
    assert.equal(await page.getByText('0.03 USDC on Base Sepolia').count(), 1);
    assert.equal(await customer.balance(), 20_000n);
  });

  test('the document of a payment arrives after a lost response', async () => {
    await using customer = await customerOf(browser, shop);
    const {page, press} = customer;
    const sent: (string | undefined)[] = [];
    await page.route(shop.gate.url + PATH, async route => {
      sent.push(route.request().headers()['payment-signature']);
      await route.fetch();
      await (sent.length === 1 ? route.abort() : route.continue());
    });
    await press(/Test Wallet/);
    await press(/Pay/);
    await assertBought(customer);
    assert.equal(new Set(sent).size, 1);
    assert.equal(sent.length, 2);
  });

  test('a purchase continues after a reload, also before the document is saved', async () => {
    await using customer = await customerOf(browser, shop);
    const {page, press, waitForText} = customer;
    const asked = latch();
    const answered = latch();
    shop.beforeSettling = () => {
      asked.open();
      return answered.opened;
    };
    await press(/Test Wallet/);
    await press(/Pay/);
    await asked.opened;
    await page.reload();
    await waitForText(/on its way/);
    answered.open();
    await waitForText(/Bought/);
    await page.reload();
    await assertBought(customer);
    await page.reload();
    await waitForText(/Choose the wallet/);
    await page.evaluate(
      `IDBDatabase.prototype.transaction = () => { throw new DOMException('', 'QuotaExceededError'); }`,
    );
    await press(/Test Wallet/);
    await press(/Pay/);
    await waitForText(/^Your browser could not store the payment\. Nothing was paid\./m);
  });

  test('the receipt contains the signature of a gate that has a key', async () => {
    const key = await newSigningKey();
    await using own = await openCheckoutShop({}, key);
    await using customer = await customerOf(browser, own);
    await customer.press(/Test Wallet/);
    await customer.press(/Pay/);
    const downloading = customer.page.waitForEvent('download');
    await customer.page.getByRole('link', {name: 'Save the receipt'}).click();
    const file = join(own.site.root, 'receipt.json');
    await (await downloading).saveAs(file);
    const checks = await verifyReceipt(file, {siteKey: key.x});
    assert.ok(isFine(checks), JSON.stringify(checks));
  });

  test('a document that was replaced before it arrived is collected with a new signature of the same account', async () => {
    await using own = await openCheckoutShop();
    await using customer = await customerOf(browser, own);
    const {page, wallet, press, waitForText} = customer;
    own.beforeSettling = () => {
      throw new Error('the facilitator is down');
    };
    await press(/Test Wallet/);
    await press(/Pay/);
    await waitForText(/No document has arrived yet/);
    const replaced = await replaceDocument(own);
    own.beforeSettling = () => undefined;
    await page.reload();
    await waitForText(/document or price changed.*sign again/);
    await press(/Sign again/);
    const {account} = wallet;
    wallet.account = privateKeyToAccount(generatePrivateKey());
    await press(/Test Wallet/);
    await waitForText(new RegExp(`Only ${account.address} can collect`));
    await wallet.change(page, {account});
    await press(/Sign again/);
    await waitForText(/Bought/);
    assert.equal(await page.getByRole('region', {name: 'The document'}).innerText(), replaced);
    assert.equal(await customer.balance(), 50_000n - PRICE);
    await page.reload();
    await waitForText(/Bought/);
    assert.equal(await page.getByRole('region', {name: 'The document'}).innerText(), replaced);
    assert.equal(await customer.balance(), 50_000n - PRICE);
    await replaceDocument(own, 200);
    await page.reload();
    await waitForText(/bought this document here before\..*document or price changed/);
    assert.equal(await customer.balance(), 50_000n - PRICE);
  });

  test('signing again charges nothing if the document was lost on the way and then replaced, until the buyer pays again', async () => {
    await using own = await openCheckoutShop();
    await using customer = await customerOf(browser, own);
    const {page, press, waitForText} = customer;
    await page.route(own.gate.url + PATH, async route => {
      if (!route.request().headers()['payment-signature']) return route.continue();
      assert.equal((await route.fetch()).status(), 200);
      return route.abort();
    });
    await press(/Test Wallet/);
    await press(/Pay/);
    await waitForText(/No document has arrived yet/);
    await page.unroute(own.gate.url + PATH);
    const replaced = await replaceDocument(own);
    await page.reload();
    await waitForText(/document or price changed.*sign again/);
    await press(/Sign again/);
    await press(/Test Wallet/);
    await waitForText(/This signature pays nothing/);
    await press(/Sign again/);
    await waitForText(/nothing is left to collect/);
    assert.equal(await customer.balance(), 50_000n - PRICE);
    await press(/Forget this payment/);
    await press(/Pay 0\.02 USDC/);
    await waitForText(/Bought/);
    assert.equal(await page.getByRole('region', {name: 'The document'}).innerText(), replaced);
    assert.equal(await customer.balance(), 50_000n - 2n * PRICE);
  });

  test('a payment that collected the document of a forgotten one is not charged after a reload', async () => {
    await using customer = await customerOf(browser, shop);
    const {page, press, waitForText} = customer;
    shop.beforeSettling = () => {
      throw new Error('the facilitator is down');
    };
    await press(/Test Wallet/);
    await press(/Pay/);
    await waitForText(/No document has arrived yet/);
    shop.beforeSettling = () => undefined;
    await forgetPayments(page);
    await page.reload();
    await press(/Test Wallet/);
    await press(/Pay/);
    await waitForText(/Bought/);
    await page.reload();
    await waitForText(/Bought/);
    assert.equal(await page.getByRole('region', {name: 'The document'}).innerText(), textOf());
    assert.equal(await customer.balance(), 50_000n - PRICE);
  });

  test('a response that is not the offered document is not shown', async () => {
    await using customer = await customerOf(browser, shop);
    const {page, press, waitForText} = customer;
    await page.route(shop.gate.url + PATH, async route => {
      const response = await route.fetch();
      await route.fulfill({response, body: `${await response.text()} `});
    });
    await press(/Test Wallet/);
    await press(/Pay/);
    await waitForText(/not the document that was for sale/);
    assert.equal(await page.getByRole('region', {name: 'The document'}).count(), 0);
    await page.unroute(shop.gate.url + PATH);
    await press(/Send the payment again/);
    await assertBought(customer);
  });

  test('names and icons of wallets are shown as text and data, and cause no requests', async () => {
    const names = ['<img src=x onerror=alert(1)>', 'x'.repeat(500)];
    await using customer = await customerOf(browser, shop, {names, icon: 'https://evil.example/pixel.png'});
    const {page, waitForText} = customer;
    await waitForText(/Choose the wallet/);
    const buttons = page.locator('#checkout').getByRole('button');
    assert.deepEqual(await buttons.allTextContents(), [names[0], 'x'.repeat(40)]);
    assert.equal(await page.locator('#checkout img').count(), 0);
    await assertReadable(page, 'checkout-hostile');
    assert.deepEqual(customer.troubles, []);
  });

  test('without a wallet or without scripts, the page shows other ways to buy', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await browser.newPage({javaScriptEnabled, viewport: screens.phone});
      await page.goto(shop.gate.url + PATH);
      if (javaScriptEnabled) await page.getByText('No wallet was found').waitFor();
      assert.equal(await page.locator('#checkout').isVisible(), javaScriptEnabled);
      assert.ok(await page.getByText('A program pays over').isVisible());
      await page.screenshot({
        path: join(screenshots, `checkout-${javaScriptEnabled ? 'no-wallet' : 'no-script'}.png`),
        fullPage: true,
      });
      await page.close();
    }
  });
});

/** Asserts that axe finds nothing and the page does not scroll sideways, and takes a screenshot. */
async function assertReadable(page: Page, name: string) {
  await page.screenshot({path: join(screenshots, `${name}.png`), fullPage: true});
  await page.evaluate(axe.source);
  const {violations} = await page.evaluate<{violations: unknown[]}>('axe.run()');
  assert.deepEqual(violations, [], name);
  const {width = 0} = page.viewportSize() ?? {};
  assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width, name);
}

/** Presses Tab until the button has the focus, and asserts that the focus is visible. */
async function tabTo(page: Page, name: string) {
  const focused = () => page.evaluate<string>('document.activeElement.textContent');
  while ((await focused()) !== name) await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'solid');
}

/** Creates a promise with a function that resolves it. */
function latch() {
  let open = () => {};
  const opened = new Promise<void>(resolve => (open = resolve));
  return {
    open: () => {
      open();
    },
    opened,
  };
}

/** Makes the gate ask for another price. */
async function changePrice({site, gate}: CheckoutShop, price: string): Promise<void> {
  for (const file of ['paywall/rules/rules.json', 'public/api/v1/index.json']) {
    const text = await readFile(join(site.root, file), 'utf8');
    await writeFile(join(site.root, file), text.replaceAll('"$0.02"', JSON.stringify(price)));
  }
  await gate.takeOver();
}

/** Makes the gate sell a newer document, and returns its text. */
async function replaceDocument({site, gate}: CheckoutShop, bytes = 100): Promise<string> {
  const text = await lengthen(site.root, bytes);
  await gate.takeOver();
  return text;
}
