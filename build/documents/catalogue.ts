import {paths, PUBLIC} from '../../shared/paths.ts';
import type {Catalogue, Entry, ListedFile} from '../../shared/shapes.ts';
import type {Site} from '../read/site.ts';
import type {ProductRecord} from './record.ts';
import {encode} from './text.ts';

/** All documents of a product. */
export const DOCUMENTS = ['sample', 'paid', 'sampleSchema', 'paidSchema', 'history'] as const;

/**
 * The text of the catalogue.
 *
 * @param standing leaves out what is not among these paths from the root, of a product all where one file is not
 */
export function catalogueText(
  site: Site,
  records: readonly ProductRecord[],
  files: readonly ListedFile[],
  standing?: ReadonlySet<string>,
): string {
  const stands = (path: string) => !standing || standing.has(PUBLIC + path);
  const products = records.filter(({name}) => DOCUMENTS.every(document => stands(paths[document](name))));
  const listed = files.filter(({path}) => stands(path));
  return encode(catalogueOf(site, products, listed));
}

/**
 * `index.json`, the catalogue for programs: every product, and where each of its documents is, with the size and the SHA-256 of the
 * file's bytes.
 */
export function catalogueOf(site: Site, records: readonly ProductRecord[], files: ListedFile[]): Catalogue {
  const {title, base_url, payment} = site;
  const products = records.map(record => entryOf(base_url, record));
  return {title, version: 'v1', base_url, payment: {accepts: payment.accepts}, products, files};
}

function entryOf(base_url: string, {name, title, kind, price, published, documents}: ProductRecord): Entry {
  const entry = (document: keyof typeof documents) => ({url: base_url + paths[document](name), ...documents[document]});
  return {
    name,
    title,
    kind,
    as_of: published.as_of,
    price: price.text,
    sample: entry('sample'),
    paid: {method: 'GET', ...entry('paid')},
    schemas: {sample: entry('sampleSchema'), paid: entry('paidSchema')},
    history: entry('history'),
  };
}
