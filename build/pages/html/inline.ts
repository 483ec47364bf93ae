import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {raw} from 'hono/html';

const style = `${textBeside('../../../shared/design.css')}\n${textBeside('style.css')}`;
const script = textBeside('../in-browser/in-browser.js');

/** The one style of all pages, and the one script, which only adds to a page that is complete without it. */
export const styleElement = raw(`<style>${style}</style>`);
export const scriptElement = raw(`<script>${script}</script>`);

/**
 * What a page may load and run: its own style and script, by their digests (Content Security Policy, level 2), its icon, and
 * further pages of its list. Nothing of a product's text is ever in either.
 */
export const pagePolicy = [
  "default-src 'none'",
  `script-src ${digestOf(script)}`,
  `style-src ${digestOf(style)}`,
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The same for hosts that send headers; `frame-ancestors` means nothing in a `<meta>`. */
export const headerPolicy = `${pagePolicy}; frame-ancestors 'none'`;

function textBeside(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

function digestOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
