import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import type {Page} from './page.ts';

export const style = asset('style.css', 'text/css', ['../../shared/design.css', 'html/style.css']);

/** Pages are complete without the script. */
export const script = asset('script.js', 'text/javascript', ['in-browser/in-browser.js']);

export const ICON = '/favicon.svg';

/** The shape of the icon and the preview image as SVG: a snow crystal with six equal arms. */
export const crystalShape = `<g fill="none" stroke-width="3.2" stroke-linecap="round" stroke-linejoin="round">
  ${[0, 60, 120, 180, 240, 300]
    .map(angle => `<path d="M32 32V7M32 15l-7-6M32 15l7-6M32 24l-6-5M32 24l6-5" transform="rotate(${angle} 32 32)" />`)
    .join('')}
</g>`;

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

/** The policy for hosts that send headers. `frame-ancestors` is ignored in a `<meta>`. */
export const headerPolicy = `${policy}; frame-ancestors 'none'`;

/** The name of the file, such as `style-0123abcd.css`, contains a digest of its content, so that a browser never combines two builds. */
function asset(name: string, type: string, sources: readonly string[]) {
  const content = sources.map(source => readFileSync(new URL(source, import.meta.url), 'utf8')).join('\n');
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 8);
  return {path: `/assets/${name.replace('.', `-${digest}.`)}`, type: `${type}; charset=utf-8`, content};
}

/** The style, the script and the icon of all pages. */
export default {
  path: '/assets/',
  type: style.type,
  compose: () => [
    style,
    script,
    {
      // The icon has fixed colours, because it is shown on the browser's background.
      ...{path: ICON, type: 'image/svg+xml; charset=utf-8'},
      content: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
        <rect width="64" height="64" rx="14" fill="#0b6485" />
        <g stroke="#fff" transform="translate(32 32) scale(.82) translate(-32 -32)">${crystalShape}</g>
      </svg>\n`,
    },
  ],
} satisfies Page;
