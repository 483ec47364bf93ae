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

/** The reason why there is no browser for tests. Undefined in CI, because it must have one. */
export const noBrowser =
  existsSync(CHROMIUM) || process.env['CI'] !== undefined
    ? false
    : `${CHROMIUM} is missing: apt-get install chromium, or name one in CHROMIUM`;

/** The folder for screenshots. CI stores them, and git ignores them. */
export const screenshots = join(import.meta.dirname, 'screenshots');

/**
 * Returns the Chromium that the suites of `npm run test:all` share. A file that runs separately, or has its own
 * arguments, gets a separate one.
 */
export function launch(...more: string[]): Promise<Browser> {
  const shared = process.env['SHARED_BROWSER'];
  return shared === undefined || more.length > 0 ? chromium.launch(options(more)) : chromium.connect(shared);
}

/** Starts a Chromium for several processes. Signals to this process do not end it. */
export function serveBrowser(): Promise<BrowserServer> {
  return chromium.launchServer({...options([]), handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false});
}

/** Starts a Chromium that stores its data in a folder. */
export function launchWithData(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, options([]));
}

/** Starts Chromium without background requests. It has no sandbox, because it runs as root in containers. */
function options(more: readonly string[]) {
  const quiet = ['--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update'];
  return {executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-sync', ...quiet, ...more]};
}

/** A page, and all errors on it. */
export interface Watched extends AsyncDisposable {
  readonly page: Page;
  /** Messages of the console, failed requests, responses of 400 and above, requests to other origins. */
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
