import type {XMLElement} from 'xmlbuilder';
import {paths} from '../../shared/paths.ts';
import type {Point} from '../documents/publication.ts';
import type {ProductRecord} from '../documents/record.ts';
import type {Site} from '../read/site.ts';
import {dateWords} from './html/words.ts';
import type {Page} from './page.ts';
import {xmlDocument} from './xml/document.ts';
import {latestOf} from './xml/latest.ts';

const ATOM = 'http://www.w3.org/2005/Atom';

/** Older snapshots are in the products' histories; readers ask for the whole feed again and again. */
const MOST_ENTRIES = 1000;

interface Entry {
  readonly product: ProductRecord;
  readonly point: Point;
}

/** An Atom feed (RFC 4287) with an entry for each product and `as_of`, newest first: buyers need not poll for change. */
export default {
  path: '/feed.xml',
  type: 'application/atom+xml; charset=utf-8',

  compose(site, products) {
    return xmlDocument(ATOM, 'feed', feed => {
      feed.ele('id').txt(`${site.base_url}/feed.xml`);
      feed.ele('title').txt(site.title);
      if (site.description !== undefined) feed.ele('subtitle').txt(site.description);
      feed.ele('updated').txt(latestOf(products));
      feed.ele('author').ele('name').txt(site.title);
      link(feed, 'self', 'application/atom+xml', `${site.base_url}/feed.xml`);
      link(feed, 'alternate', 'text/html', `${site.base_url}/`);
      if (site.license) link(feed, 'license', undefined, site.license.url);
      for (const entry of entriesOf(products)) addEntry(feed, site, entry);
    });
  },
} satisfies Page;

function entriesOf(products: readonly ProductRecord[]): Entry[] {
  const entries = products.flatMap(product => product.history.map(point => ({product, point})));
  const momentOf = ({point}: Entry) => point.as_of;
  const newestFirst = entries.sort((a, b) => (momentOf(a) < momentOf(b) ? 1 : momentOf(a) > momentOf(b) ? -1 : 0));
  return newestFirst.slice(0, MOST_ENTRIES);
}

/** An entry never changes once its snapshot is frozen: readers know it by its id. */
function addEntry(feed: XMLElement, {base_url}: Site, {product, point}: Entry): void {
  const {as_of, reason} = point;
  const entry = feed.ele('entry');
  entry.ele('id').txt(`${base_url}${paths.paid(product.name)}#as_of=${as_of}`);
  entry.ele('title').txt(`${product.title}, ${dateWords(as_of)}`);
  entry.ele('updated').txt(as_of);
  entry.ele('published').txt(as_of);
  entry.ele('category', {term: product.name, label: product.title});
  link(entry, 'alternate', 'text/html', `${base_url}/#${product.name}`);
  link(entry, 'related', 'application/json', base_url + paths.sample(product.name));
  entry.ele('summary').txt(reason);
}

function link(parent: XMLElement, rel: string, type: string | undefined, href: string): void {
  parent.ele('link', {rel, ...(type !== undefined && {type}), href});
}
