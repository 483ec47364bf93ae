import {html} from 'hono/html';
import type {Rule} from '../../shared/shapes.ts';

/** The paths of the script and its events, in a folder that sites do not use. */
export const SCRIPT = '/.dev/client.js';
export const EVENTS = '/.dev/events';

const POLICY = /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/;

/** Returns a page with the script that reloads it, and with `more` at its end. */
export function withScript(page: string, version: string, more = ''): string {
  const script = `<script src="${SCRIPT}" data-version="${version}"></script>`;
  return page
    .replace(POLICY, (meta, policy: string) => meta.replace(policy, () => loosened(policy)))
    .replace('</body>', () => `${more}${script}</body>`);
}

/** Returns a Content-Security-Policy that also allows this script and its connection. */
export function loosened(policy: string): string {
  if (!policy.includes('default-src ')) return policy;
  const own = policy.includes('script-src ')
    ? policy.replace('script-src ', "script-src 'self' ")
    : `${policy}; script-src 'self'`;
  return policy.includes('connect-src ') ? own : `${own}; connect-src 'self'`;
}

/** Returns the paid document as HTML, for the end of the page of a 402. */
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

/** Returns the page that is shown until the first successful build. */
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
