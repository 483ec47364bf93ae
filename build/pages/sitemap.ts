import {paths} from '../../shared/paths.ts';
import {raw} from 'hono/html';
import {latestOf, textOf, xml, xmlDocument} from './html/layout.ts';
import type {Page} from './page.ts';

/** A sitemap has at most 50,000 URLs. */
const MOST_ADDRESSES = 45_000;

/** For search engines: `robots.txt`, and the pages and free documents that change with a snapshot (sitemaps.org 0.9). */
const sitemap: Page = {
  path: '/sitemap.xml',
  type: 'application/xml; charset=utf-8',

  compose({base_url}, products) {
    const free = products.flatMap(({name, published: {as_of}}) =>
      [paths.page(name), paths.sample(name)].map(path => ({path, as_of})),
    );
    const addresses = [{path: '/', as_of: latestOf(products)}, ...free].slice(0, MOST_ADDRESSES);
    const base = textOf(xml`${base_url}`);
    const elements = addresses.map(
      ({path, as_of}) => `\n  <url>\n    <loc>${base}${path}</loc>\n    <lastmod>${as_of}</lastmod>\n  </url>`,
    );
    // Product names and dates never contain characters that XML escapes.
    const content =
      xmlDocument(xml`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${raw(elements.join(''))}
</urlset>`);
    // Programs may request everything, including paid paths, which answer 402 without a payment.
    const robots = `User-agent: *\nAllow: /\n\nSitemap: ${base_url}${sitemap.path}\n`;
    return [
      {path: '/robots.txt', type: 'text/plain; charset=utf-8', content: robots},
      {path: sitemap.path, content},
    ];
  },
};

export default sitemap;
