import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {chromium, type Browser, type BrowserContextOptions, type Page} from 'playwright-core';

/** Debian's Chromium, or another one. */
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Why there is no browser to test in; in CI there must be one, so there is no reason there. */
export const noBrowser =
  existsSync(CHROMIUM) || process.env['CI'] !== undefined
    ? false
    : `${CHROMIUM} is missing: apt-get install chromium, or name one in CHROMIUM`;

/** Where screenshots go: kept by CI, not by git. */
export const screenshots = join(import.meta.dirname, 'screenshots');

/** Chromium without anything that calls home. It runs as root in containers, where its sandbox cannot. */
export function launch(...more: string[]): Promise<Browser> {
  const quiet = ['--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update'];
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-sync', ...quiet, ...more],
  });
}

/** A page, and everything that went wrong on it. */
export interface Watched extends AsyncDisposable {
  readonly page: Page;
  /** Messages of the console, failed requests, answers of 400 and above, requests to other origins. */
  readonly troubles: readonly string[];
}

/** Opens an address in a context of its own. */
export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
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
  return {page, troubles, [Symbol.asyncDispose]: () => context.close()};
}
