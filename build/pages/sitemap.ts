import {paths} from '../../shared/paths.ts';
import {raw} from 'hono/html';
import {latestOf, textOf, xml, xmlDocument} from './html/layout.ts';
import type {Page} from './page.ts';

/** A sitemap has at most 50,000 URLs. */
const MOST_ADDRESSES = 45_000;

interface Address {
  readonly path: string;
  readonly as_of: string;
}

/**
 * For search engines: `robots.txt`, and the pages and free documents that change with a snapshot (sitemaps.org 0.9). If one sitemap cannot
 * contain all of them, `/sitemap.xml` is an index of several.
 */
const sitemap: Page = {
  path: '/sitemap.xml',
  type: 'application/xml; charset=utf-8',

  compose({base_url}, products) {
    const latest = latestOf(products);
    const free = products.flatMap(({name, published: {as_of}}) =>
      [paths.page(name), paths.sample(name)].map(path => ({path, as_of})),
    );
    const addresses = [{path: '/', as_of: latest}, ...free];
    const robots = {path: '/robots.txt', type: 'text/plain; charset=utf-8', content: robotsOf(base_url)};
    const parts = Array.from({length: Math.ceil(addresses.length / MOST_ADDRESSES)}, (_, part) => {
      const own = addresses.slice(part * MOST_ADDRESSES, (part + 1) * MOST_ADDRESSES);
      const path = sitemap.path.replace('.', `-${part + 1}.`);
      return {path, as_of: latest, content: addressList('urlset', 'url', base_url, own)};
    });
    const [only, ...more] = parts;
    if (only && more.length === 0) return [robots, {path: sitemap.path, content: only.content}];
    const index = addressList('sitemapindex', 'sitemap', base_url, parts);
    return [robots, {path: sitemap.path, content: index}, ...parts];
  },
};

export default sitemap;

/** Programs may request everything, including paid paths, which answer 402 without a payment. */
function robotsOf(base_url: string): string {
  return `User-agent: *\nAllow: /\n\nSitemap: ${base_url}${sitemap.path}\n`;
}

function addressList(list: string, element: string, base_url: string, addresses: readonly Address[]): string {
  const base = textOf(xml`${base_url}`);
  const elements = addresses.map(
    ({path, as_of}) =>
      `\n  <${element}>\n    <loc>${base}${path}</loc>\n    <lastmod>${as_of}</lastmod>\n  </${element}>`,
  );
  // Product names and dates never contain characters that XML escapes.
  return xmlDocument(xml`<${list} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${raw(elements.join(''))}
</${list}>`);
}
