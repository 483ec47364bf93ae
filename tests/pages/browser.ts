import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type BrowserServer,
  type Page,
} from '../extra/playwright-core.js';

/** Debian's Chromium, or another one. */
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Why there is no browser to test in; in CI there must be one, so there is no reason there. */
export const noBrowser =
  existsSync(CHROMIUM) || process.env['CI'] !== undefined
    ? false
    : `${CHROMIUM} is missing: apt-get install chromium, or name one in CHROMIUM`;

/** Where screenshots go: kept by CI, not by git. */
export const screenshots = join(import.meta.dirname, 'screenshots');

/** The Chromium that the suites of `npm run test:all` share; one of its own for a file that runs alone, or with arguments of its own. */
export function launch(...more: string[]): Promise<Browser> {
  const shared = process.env['SHARED_BROWSER'];
  return shared === undefined || more.length > 0 ? chromium.launch(options(more)) : chromium.connect(shared);
}

/** A Chromium for several processes, which outlives signals to this one until it is closed. */
export function serveBrowser(): Promise<BrowserServer> {
  return chromium.launchServer({...options([]), handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false});
}

/** Chromium without anything that calls home. It runs as root in containers, where its sandbox cannot. */
function options(more: readonly string[]) {
  const quiet = ['--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update'];
  return {executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-sync', ...quiet, ...more]};
}

/** A page, and everything that went wrong on it. */
export interface Watched extends AsyncDisposable {
  readonly page: Page;
  /** Messages of the console, failed requests, answers of 400 and above, requests to other origins. */
  readonly troubles: readonly string[];
}

const contexts = new WeakMap<Browser, Promise<BrowserContext>>();

/** Opens a page. Pages without options share a context. */
export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  if (Object.keys(options).length > 0) return browser.newPage(options);
  const context = contexts.get(browser) ?? contextFor(browser);
  contexts.set(browser, context);
  return (await context).newPage();
}

/** A context with a page that stays open, because a page takes three times as long while its context has no other. */
async function contextFor(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext();
  await context.newPage();
  return context;
}

/** Opens an address in a new page. */
export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const page = await newPage(browser, options);
  const troubles: string[] = [];
  const note = (what: string) => troubles.push(what);
  page.on('console', message => note(`console: ${message.type()} ${message.text()}`));
  page.on('pageerror', error => note(`error: ${error.message}`));
  page.on('requestfailed', request => note(`failed: ${request.url()}`));
  page.on('dialog', dialog => {
    note(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('response', response => {
    if (response.status() >= 400) note(`${response.status()}: ${response.url()}`);
  });
  page.on('request', request => {
    if (new URL(request.url()).origin !== new URL(url).origin) note(`elsewhere: ${request.url()}`);
  });
  await page.goto(url, {waitUntil: 'networkidle'});
  return {page, troubles, [Symbol.asyncDispose]: () => page.close()};
}
