import {paths} from '../../shared/paths.ts';
import {latestOf, xml, xmlDocument} from './html/layout.ts';
import type {Page} from './page.ts';

/** A sitemap holds 50,000 addresses at most. */
const MOST_ADDRESSES = 45_000;

/**
 * What search engines may list: the pages, and the free documents that change with a snapshot (sitemaps.org 0.9). Where one
 * sitemap cannot hold them all, `/sitemap.xml` is an index of several.
 */
const sitemap: Page = {
  path: '/sitemap.xml',
  type: 'application/xml; charset=utf-8',
  relation: 'sitemap',

  compose({base_url}, products) {
    const latest = latestOf(products);
    const free = products.flatMap(({name, published: {as_of}}) =>
      [paths.page(name), paths.sample(name)].map(path => ({path, as_of})),
    );
    const addresses = [{path: '/', as_of: latest}, ...free];
    if (addresses.length <= MOST_ADDRESSES) return addressList('urlset', 'url', base_url, addresses);
    const parts = Array.from({length: Math.ceil(addresses.length / MOST_ADDRESSES)}, (_, part) => ({
      path: sitemap.path.replace('.', `-${part + 1}.`),
      as_of: latest,
      content: addressList(
        'urlset',
        'url',
        base_url,
        addresses.slice(part * MOST_ADDRESSES, (part + 1) * MOST_ADDRESSES),
      ),
    }));
    return [{path: sitemap.path, content: addressList('sitemapindex', 'sitemap', base_url, parts)}, ...parts];
  },
};

export default sitemap;

interface Address {
  readonly path: string;
  readonly as_of: string;
}

function addressList(root: string, element: string, base_url: string, addresses: readonly Address[]): string {
  const elements = addresses.map(
    ({path, as_of}) => xml`
  <${element}>
    <loc>${base_url}${path}</loc>
    <lastmod>${as_of}</lastmod>
  </${element}>`,
  );
  return xmlDocument(xml`<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${elements}
</${root}>`);
}
