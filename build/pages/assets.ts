import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import type {Page} from './page.ts';

/** A file that all pages load. Its name contains a digest of its content, so that a browser never combines two builds. */
interface Asset {
  /** Absolute, e.g. `/assets/style-0123abcd.css`. */
  readonly path: string;
  readonly type: string;
  readonly content: string;
}

export const style = asset('style.css', 'text/css', ['../../shared/design.css', 'html/style.css']);

/** The script only adds to a page that is complete without it. */
export const script = asset('script.js', 'text/javascript', ['in-browser/in-browser.js']);

/**
 * What a page may load: files of its own site. Nothing is inline, so text of a product that reached the page as markup could neither run
 * nor change its looks.
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

/** The policy for hosts that send headers; `frame-ancestors` has no meaning in a `<meta>`. */
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
