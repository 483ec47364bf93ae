import {html} from 'hono/html';
import {withoutControls} from '../../../shared/printable.ts';
import type {Site} from '../../read/site.ts';
import {ICON, policy, script, style} from '../assets.ts';
import {dateWords, timeWords} from './words.ts';
import type {ProductRecord} from '../../documents/record.ts';

/** The link preview image: its path, and its size in pixels. */
export const PREVIEW = {path: '/preview.png', width: 800, height: 420};

/** The result of `html`, in which all inserted values are escaped. */
export type Html = ReturnType<typeof html>;

interface Layout {
  readonly title: string;
  readonly description: string;
  /** For link previews (Open Graph). */
  readonly shown?: {readonly site: Site; readonly path: string};
  readonly head?: Html;
  readonly body: Html;
}

/** Returns a page as text. Links are relative to the origin, so that a page works on every host. */
export function layout({title, description, shown, head, body}: Layout): string {
  const page = textOf(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta http-equiv="Content-Security-Policy" content="${policy}" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="referrer" content="strict-origin-when-cross-origin" />
          <title>${title}</title>
          <meta name="description" content="${description}" />
          <link rel="icon" href="${ICON}" type="image/svg+xml" />
          <link rel="stylesheet" href="${style.path}" />
          ${shown && linkPreview(title, shown)} ${head}
          <script src="${script.path}" defer></script>
        </head>
        <body>
          ${body}
        </body>
      </html> `,
  );
  return withoutControls(withoutIndentation(page));
}

/** Removes the indentation and blank lines of templates, which would be a fifth of a page. Text in `<pre>` is unchanged. */
function withoutIndentation(page: string): string {
  return page
    .split(/(<pre[\s>].*?<\/pre>)/s)
    .map((text, index) => (index % 2 === 0 ? text.replaceAll(/\s*\n\s*/g, '\n') : text))
    .join('');
}

/** The link preview (Open Graph) of a page, in addition to its description. */
function linkPreview(title: string, {site, path}: NonNullable<Layout['shown']>): Html {
  const properties = {
    type: 'website',
    site_name: site.title,
    title,
    url: site.base_url + path,
    image: site.base_url + PREVIEW.path,
    'image:width': String(PREVIEW.width),
    'image:height': String(PREVIEW.height),
  };
  return html`<link rel="canonical" href="${properties.url}" />
    <meta name="twitter:card" content="summary_large_image" />
    ${Object.entries(properties).map(([name, content]) => html`<meta property="og:${name}" content="${content}" /> `)}`;
}

/** Returns the text of a template. Throws if the template contains a promise. */
export function textOf(template: Html): string {
  if (template instanceof Promise) throw new Error('a template of a page must not contain a promise');
  return template.toString();
}

/** The icon of the site. It is decorative, because the title follows it. */
export const mark = html`<img src="${ICON}" alt="" width="24" height="24" class="mark" />`;

/** The head of every page except the first: a link to the list of products. */
export function pageHead({title}: Site): Html {
  return html`<nav class="site" aria-label="Site">
    <a href="/">${mark} ${title}</a>
  </nav>`;
}

/** The publisher's contact and the licence. */
export function foot({contact, license}: Site): Html {
  return html`<footer>
    ${license && html`<span>Licence: <a href="${license.url}" rel="license">${license.name}</a></span>`}
    ${contact?.email !== undefined && html`<a href="mailto:${contact.email}">${contact.email}</a>`}
    ${contact?.url !== undefined && html`<a href="${contact.url}">Contact</a>`}
    <span>Snapshots are frozen: nothing on this page is fetched live.</span>
  </footer>`;
}

/** Returns a table that can be scrolled. `style` is its class, as an attribute. */
export function table(label: string, heads: Html, rows: readonly Html[], style?: Html): Html {
  return html`<div class="table" tabindex="0" role="region" aria-label="${label}">
    <table${style}>
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

// The script of the page shows dates in the reader's language.

/** Returns the date of a timestamp. */
export function date(asOf: string): Html {
  return html`<time datetime="${asOf}">${dateWords(asOf)}</time>`;
}

/** Returns date and time of a timestamp. */
export function dateAndTime(asOf: string): Html {
  return html`<time datetime="${asOf}" data-precise>${timeWords(asOf)}</time>`;
}

// XML uses the same template function, because it escapes inserted values. The other name keeps Prettier from formatting XML as HTML.
export {html as xml} from 'hono/html';

/** Characters, in addition to control characters, that XML 1.0 cannot contain even if escaped. */
const INVALID = /[\ufffe\uffff]/g;

/** Returns an XML document as text. Control characters are written as JSON escapes, other characters that XML cannot contain as U+FFFD. */
export function xmlDocument(element: ReturnType<typeof html>): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${withoutControls(textOf(element)).replace(INVALID, '\ufffd')}\n`;
}

/** Returns the latest `as_of` of all products, the time of the site's last change. A build does not use the clock. */
export function latestOf(products: readonly ProductRecord[]): string {
  return products.reduce((latest, {published: {as_of}}) => (as_of > latest ? as_of : latest), '');
}
