import {html, raw} from 'hono/html';
import {paths} from '../../../shared/paths.ts';
import type {UnpagedRecord} from '../../documents/record.ts';
import type {Site} from '../../read/site.ts';
import type {Html} from './layout.ts';
import {describe} from './words.ts';

/** The element for an object of schema.org. Nothing in the JSON can end the element. */
export function linkedData(object: object): Html {
  const json = JSON.stringify({'@context': 'https://schema.org', ...object});
  return html`<script type="application/ld+json">
    ${raw(json.replaceAll('<', String.raw`\u003c`))}
  </script>`;
}

/** The site as schema.org `DataCatalog`. */
export function catalogueOf(site: Site): object {
  return {
    '@type': 'DataCatalog',
    '@id': catalogueId(site),
    name: site.title,
    description: describe(site),
    url: `${site.base_url}/`,
    ...(site.license && {license: site.license.url}),
    publisher: publisherOf(site),
  };
}

/** A product as schema.org `Dataset`: licence, dates, the free and the paid file, and the offer. */
export function datasetOf(site: Site, {name, title, price, published, history, documents}: UnpagedRecord): object {
  const {as_of, reason, figures} = published;
  const page = site.base_url + paths.page(name);
  const paid = site.base_url + paths.paid(name);
  const download = (title: string, document: 'sample' | 'paid') => ({
    '@type': 'DataDownload',
    name: title,
    contentUrl: site.base_url + paths[document](name),
    encodingFormat: 'application/json',
    contentSize: `${documents[document].bytes} B`,
    sha256: documents[document].sha256,
    isAccessibleForFree: document === 'sample',
  });
  return {
    '@type': 'Dataset',
    '@id': page,
    name: title,
    description: reason,
    url: page,
    identifier: paid,
    ...(site.license && {license: site.license.url}),
    creator: publisherOf(site),
    includedInDataCatalog: {'@type': 'DataCatalog', '@id': catalogueId(site), name: site.title},
    isAccessibleForFree: false,
    datePublished: history[0]?.as_of ?? as_of,
    dateModified: as_of,
    temporalCoverage: as_of,
    version: as_of,
    variableMeasured: Object.keys(figures),
    distribution: [download('Free sample', 'sample'), download('Paid document', 'paid')],
    offers: {
      '@type': 'Offer',
      url: paid,
      price: price.text.slice(1),
      priceCurrency: 'USD',
      availability: 'https://schema.org/InStock',
    },
  };
}

function catalogueId({base_url}: Site): string {
  return `${base_url}/#data-catalogue`;
}

function publisherOf({title, base_url, contact}: Site): object {
  return {
    '@type': 'Organization',
    name: title,
    url: `${base_url}/`,
    ...(contact?.email !== undefined && {email: contact.email}),
  };
}
