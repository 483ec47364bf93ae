import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import type {Page} from './page.ts';

/** A file that all pages load. Its name contains a digest of its content, so that a browser never combines two builds. */
interface Asset {
  /** Absolute, for example `/assets/style-0123abcd.css`. */
  readonly path: string;
  readonly type: string;
  readonly content: string;
}

export const style = asset('style.css', 'text/css', ['../../shared/design.css', 'html/style.css']);

/** Pages are complete without the script. */
export const script = asset('script.js', 'text/javascript', ['in-browser/in-browser.js']);

/**
 * The content security policy: a page loads only files of its site, and nothing is inline. Text of a product that was inserted as markup
 * could neither run nor change the style.
 */
export const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The policy for hosts that send headers. `frame-ancestors` has no effect in a `<meta>`. */
export const headerPolicy = `${policy}; frame-ancestors 'none'`;

function asset(name: string, type: string, sources: readonly string[]): Asset {
  const content = sources.map(source => readFileSync(new URL(source, import.meta.url), 'utf8')).join('\n');
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 8);
  return {path: `/assets/${name.replace('.', `-${digest}.`)}`, type: `${type}; charset=utf-8`, content};
}

/** The style and the script of all pages. */
export default {
  path: '/assets/',
  type: style.type,
  compose: () => [style, script],
} satisfies Page;
