import {paths} from '../../shared/paths.ts';
import type {ProductRecord} from '../documents/record.ts';
import {dateWords} from './html/words.ts';
import {latestOf, xml, xmlDocument} from './html/layout.ts';
import {mediaType, type Page} from './page.ts';

/** Bounded because feed readers download the whole feed repeatedly. Older snapshots are in the products' histories. */
const MOST_ENTRIES = 1000;

/** The namespace of elements that Atom does not define. */
const NAMESPACE = 'urn:uuid:9d0c0087-8a97-4d20-b66d-d8d6957f50a7';

/** An Atom feed (RFC 4287) with an entry for each product and `as_of`, newest first, so that buyers need not poll. */
const feed: Page = {
  path: '/feed.xml',
  type: 'application/atom+xml; charset=utf-8',
  relation: 'alternate',
  listed: {
    index: ['Atom feed', 'An entry for each new snapshot, for feed readers.'],
    llms: ['Atom feed', 'an entry for each new snapshot'],
    openapi: ['feed', 'Atom feed with an entry for each product and as_of'],
  },

  compose({title, description, base_url, license}, products) {
    return xmlDocument(xml`<feed xmlns="http://www.w3.org/2005/Atom" xmlns:snapshot="${NAMESPACE}">
  <id>${base_url}${feed.path}</id>
  <title>${title}</title>${description !== undefined && xml`\n  <subtitle>${description}</subtitle>`}
  <updated>${latestOf(products)}</updated>
  <author>
    <name>${title}</name>
  </author>
  <link rel="self" type="${mediaType(feed)}" href="${base_url}${feed.path}"/>
  <link rel="alternate" type="text/html" href="${base_url}/"/>${license && xml`\n  <link rel="license" href="${license.url}"/>`}
${entriesOf(products).map(([product, point]) => feedEntry(base_url, product, point))}</feed>`);
  },
};

export default feed;

type Dated = ProductRecord['history'][number];

function entriesOf(products: readonly ProductRecord[]): (readonly [ProductRecord, Dated])[] {
  const entries = products.flatMap(product => product.history.map(point => [product, point] as const));
  const newestFirst = entries.sort(([, {as_of: a}], [, {as_of: b}]) => (a < b ? 1 : a > b ? -1 : 0));
  return newestFirst.slice(0, MOST_ENTRIES);
}

/** The id identifies an entry. The entry of a snapshot never changes, except that only the newest one of a product has `next_expected`. */
function feedEntry(base_url: string, {name, title, published, next_expected}: ProductRecord, {as_of, reason}: Dated) {
  const due = as_of === published.as_of && next_expected;
  return xml`  <entry>
    <id>${base_url}${paths.paid(name)}#as_of=${as_of}</id>
    <title>${title}, ${dateWords(as_of)}</title>
    <updated>${as_of}</updated>
    <published>${as_of}</published>
    <category term="${name}" label="${title}"/>
    <link rel="alternate" type="text/html" href="${base_url}${paths.page(name)}"/>
    <link rel="related" type="application/json" href="${base_url}${paths.sample(name)}"/>
    <summary>${reason}</summary>${due && xml`\n    <snapshot:next_expected>${due}</snapshot:next_expected>`}
  </entry>
`;
}
