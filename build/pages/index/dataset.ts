import {type Document, type ProductDocuments} from '../../documents/documents.ts';
import {paths} from '../../../shared/paths.ts';
import {reasonOf} from '../../documents/texts.ts';
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
export function datasetOf(site: Site, {computed, sample, paid}: ProductDocuments): object {
  const {product, snapshot, history} = computed;
  const {as_of} = snapshot;
  return {
    '@type': 'Dataset',
    '@id': `${site.base_url}/#${product.name}`,
    name: product.title,
    description: reasonOf(computed),
    url: `${site.base_url}/#${product.name}`,
    identifier: site.base_url + paths.paid(product.name),
    ...(site.license && {license: site.license.url}),
    creator: publisherOf(site),
    includedInDataCatalog: {'@id': catalogId(site)},
    isAccessibleForFree: false,
    datePublished: history[0]?.as_of ?? as_of,
    dateModified: as_of,
    temporalCoverage: as_of,
    version: as_of,
    variableMeasured: Object.keys(snapshot.content.figures),
    distribution: [
      {...downloadOf(site, 'Free sample', sample), isAccessibleForFree: true},
      {...downloadOf(site, 'Paid document', paid), isAccessibleForFree: false},
    ],
    offers: {
      '@type': 'Offer',
      url: site.base_url + paid.path,
      price: product.price.slice(1),
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

function downloadOf(site: Site, name: string, {path, bytes, sha256}: Document): object {
  return {
    '@type': 'DataDownload',
    name,
    contentUrl: site.base_url + path,
    encodingFormat: 'application/json',
    contentSize: `${bytes} B`,
    sha256,
  };
}
