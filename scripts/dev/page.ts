import {html} from 'hono/html';
import type {Rule} from '../../shared/shapes.ts';

/** Where the script of pages is, and what it listens to: below a name that no site has. */
export const SCRIPT = '/.dev/client.js';
export const EVENTS = '/.dev/events';

const POLICY = /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/;

/** A page with the script that keeps it new, and with `more` at its end. */
export function withScript(page: string, version: string, more = ''): string {
  const script = `<script src="${SCRIPT}" data-version="${version}"></script>`;
  return page
    .replace(POLICY, (meta, policy: string) => meta.replace(policy, () => loosened(policy)))
    .replace('</body>', () => `${more}${script}</body>`);
}

/** A Content-Security-Policy that lets this script run and listen, too, where it keeps any script from that. */
export function loosened(policy: string): string {
  if (!policy.includes('default-src ')) return policy;
  const own = policy.includes('script-src ')
    ? policy.replace('script-src ', "script-src 'self' ")
    : `${policy}; script-src 'self'`;
  return policy.includes('connect-src ') ? own : `${own}; connect-src 'self'`;
}

/** The paid document as HTML, which goes below the page that asks for money. */
export async function preview({title}: Rule, document: Uint8Array): Promise<string> {
  const text = new TextDecoder().decode(document);
  const part = html`<section>
    <hr />
    <h2 id="preview">Preview of ${title}</h2>
    <p>Only <code>frozen dev</code> shows this, and only to a browser on this machine: it is what a buyer gets.</p>
    <pre tabindex="0" role="region" aria-labelledby="preview">${text}</pre>
  </section>`;
  return String(await part);
}

/** Stands for the site until it can be built. */
export async function emptyPage(): Promise<string> {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Not built yet</title>
      </head>
      <body>
        <h1>Not built yet</h1>
        <p>This page loads again when the site is built.</p>
      </body>
    </html>`;
  return String(await page);
}
