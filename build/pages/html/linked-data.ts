import {html, raw} from 'hono/html';
import {paths} from '../../../shared/paths.ts';
import type {UnpagedRecord} from '../../documents/record.ts';
import {listedSources} from '../../documents/catalogue.ts';
import type {Site} from '../../read/site.ts';
import type {ListedSource} from '../../../shared/shapes.ts';
import type {Html} from './layout.ts';
import {describe, isWebAddress, shortened} from './words.ts';

const MOST_CREDITS = 3;

// Characters of a description, and figures.
const FULL = {description: 300, variables: 20};
const BRIEF = {description: 80, variables: 3};

/** Returns the element for an object of schema.org. `<` is escaped, so that the JSON cannot end the element. */
export function linkedData(object: object): Html {
  const json = JSON.stringify({'@context': 'https://schema.org', ...object});
  return html`<script type="application/ld+json">
    ${raw(json.replaceAll('<', String.raw`\u003c`))}
  </script>`;
}

/** Returns the site as schema.org `DataCatalog`. */
export function dataCatalogOf(site: Site): object {
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

/** Returns a product as schema.org `Dataset`: licence, dates, the free and the paid file, and the offer. */
export function datasetOf(
  site: Site,
  {name, title, price, published, history, documents, freezes}: UnpagedRecord,
  {isBrief = false}: {readonly isBrief?: boolean},
): object {
  const most = isBrief ? BRIEF : FULL;
  const {as_of, reason, figures} = published;
  const page = site.base_url + paths.page(name);
  const paid = site.base_url + paths.paid(name);
  const sources = listedSources(freezes);
  const license = site.license?.url ?? sources.map(licenseOf).find(found => found !== undefined);
  const lists = sources.flatMap(source => sourceDatasets(source, most.description));
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
    description: shortened(reason, most.description),
    url: page,
    identifier: paid,
    ...(license !== undefined && {license}),
    ...(lists.length > 0 && {isBasedOn: lists}),
    creator: publisherOf(site),
    includedInDataCatalog: {'@type': 'DataCatalog', '@id': catalogueId(site), name: site.title},
    isAccessibleForFree: false,
    datePublished: history[0]?.as_of ?? as_of,
    dateModified: as_of,
    temporalCoverage: as_of,
    version: as_of,
    variableMeasured: Object.keys(figures).slice(0, most.variables),
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

/** The first licence of a source: its address or, without one, a `CreativeWork` with its name. */
function licenseOf({licenses = []}: ListedSource): string | object | undefined {
  const address = licenses.find(({path}) => isWebAddress(path))?.path;
  const name = licenses.map(({name, title}) => title ?? name).find(text => text !== undefined);
  return address ?? (name === undefined ? undefined : {'@type': 'CreativeWork', name});
}

/** A source as schema.org `Dataset`, if it has a title, a licence or an origin. */
function sourceDatasets(source: ListedSource, most: number): object[] {
  const {name, title, description, sources = []} = source;
  const license = licenseOf(source);
  const credit = sources.map(({title, path}) => title ?? path).filter(text => text !== undefined);
  if (title === undefined && license === undefined && credit.length === 0) return [];
  return [
    {
      '@type': 'Dataset',
      name: title ?? name,
      ...(description !== undefined && {description: shortened(description, most)}),
      ...(license !== undefined && {license}),
      ...(credit.length > 0 && {creditText: shortened(credit.slice(0, MOST_CREDITS).join(', '), most)}),
    },
  ];
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
