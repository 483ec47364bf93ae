import {paths, PUBLIC} from '../../shared/paths.ts';
import type {Catalogue, Entry, ListedFile} from '../../shared/shapes.ts';
import type {ProductRecord} from '../documents/record.ts';
import {encode} from '../documents/text.ts';
import type {Site} from '../read/site.ts';

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
  const stands = (path: string) => !standing || standing.has(path);
  const products = records.filter(record => filesOf(record).every(stands));
  return encode(
    catalogueOf(
      site,
      products,
      files.filter(({path}) => stands(PUBLIC + path)),
    ),
  );
}

/**
 * `index.json`, the catalogue for programs: every product, and where each of its documents is, with the size and the SHA-256 of the
 * file's bytes.
 */
export function catalogueOf(site: Site, records: readonly ProductRecord[], files: readonly ListedFile[]): Catalogue {
  return {
    title: site.title,
    version: 'v1',
    base_url: site.base_url,
    payment: {accepts: site.payment.accepts},
    products: records.map(record => entryOf(site, record)),
    files,
  };
}

/** The entry of a product. */
function entryOf({base_url}: Site, {name, title, kind, price, published, documents}: ProductRecord): Entry {
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

/** The documents of a product, from the root. */
function filesOf({name}: ProductRecord): string[] {
  return [paths.sample, paths.paid, paths.sampleSchema, paths.paidSchema, paths.history].map(
    path => PUBLIC + path(name),
  );
}
