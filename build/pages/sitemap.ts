import {paths} from '../../shared/paths.ts';
import type {Page} from './page.ts';
import {xmlDocument} from './xml/document.ts';
import {latestOf} from './xml/latest.ts';

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/** What search engines may list: the page, and the free documents that change with a snapshot (sitemaps.org 0.9). */
export default {
  path: '/sitemap.xml',
  type: 'application/xml; charset=utf-8',

  compose({base_url}, products) {
    const free = products.map(({name, published}) => [paths.sample(name), published.as_of] as const);
    return xmlDocument(NAMESPACE, 'urlset', urlset => {
      for (const [path, as_of] of [['/', latestOf(products)] as const, ...free]) {
        const url = urlset.ele('url');
        url.ele('loc').txt(base_url + path);
        url.ele('lastmod').txt(as_of);
      }
    });
  },
} satisfies Page;
