import type {ProductRecord} from '../../documents/record.ts';
import {paths, type DocumentName} from '../../../shared/paths.ts';
import type {Site} from '../../read/site.ts';

/** The catalogue that the data sets of a site belong to (schema.org `DataCatalog`). */
export function dataCatalogOf(site: Site, description: string): object {
  return {
    '@type': 'DataCatalog',
    '@id': catalogId(site),
    name: site.title,
    description,
    url: `${site.base_url}/`,
    ...(site.license && {license: site.license.url}),
    publisher: publisherOf(site),
  };
}

/** A product as schema.org `Dataset`: licence, dates, the free and the paid file, and the offer. */
export function datasetOf(site: Site, product: ProductRecord): object {
  const {name, title, price, published, history} = product;
  const {as_of, reason, figures} = published;
  return {
    '@type': 'Dataset',
    '@id': `${site.base_url}/#${name}`,
    name: title,
    description: reason,
    url: `${site.base_url}/#${name}`,
    identifier: site.base_url + paths.paid(name),
    ...(site.license && {license: site.license.url}),
    creator: publisherOf(site),
    includedInDataCatalog: {'@id': catalogId(site)},
    isAccessibleForFree: false,
    datePublished: history[0]?.as_of ?? as_of,
    dateModified: as_of,
    temporalCoverage: as_of,
    version: as_of,
    variableMeasured: Object.keys(figures),
    distribution: [
      {...downloadOf(site, 'Free sample', product, 'sample'), isAccessibleForFree: true},
      {...downloadOf(site, 'Paid document', product, 'paid'), isAccessibleForFree: false},
    ],
    offers: {
      '@type': 'Offer',
      url: site.base_url + paths.paid(name),
      price: price.text.slice(1),
      priceCurrency: 'USD',
      availability: 'https://schema.org/InStock',
    },
  };
}

function catalogId({base_url}: Site): string {
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

function downloadOf(site: Site, name: string, product: ProductRecord, document: DocumentName): object {
  const {bytes, sha256} = product.documents[document];
  return {
    '@type': 'DataDownload',
    name,
    contentUrl: site.base_url + paths[document](product.name),
    encodingFormat: 'application/json',
    contentSize: `${bytes} B`,
    sha256,
  };
}
