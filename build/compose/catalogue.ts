import type {Site} from '../read/site.ts';
import type {ProductDocuments} from '../documents/documents.ts';
import type {Part} from './in-parts.ts';
import type {Catalogue, Entry, ListedFile} from '../../shared/catalogue.ts';
import {paths} from '../../shared/paths.ts';

/**
 * `index.json`, the catalogue for programs: every product, and where each of its documents is, with the size and the SHA-256 of the
 * file's bytes.
 *
 * @param products the entry of each
 */
export function catalogueOf(
  site: Site,
  products: readonly (Entry | Part)[],
  files: readonly ListedFile[],
): Omit<Catalogue, 'products'> & {products: readonly (Entry | Part)[]} {
  return {
    title: site.title,
    version: 'v1',
    base_url: site.base_url,
    payment: {accepts: site.payment.accepts},
    products,
    files,
  };
}

/** The entry of a product. */
export function entryOf({base_url}: Site, {computed, sample, paid, others}: ProductDocuments): Entry {
  const {product, snapshot} = computed;
  const documents = new Map([sample, paid, ...others].map(document => [document.path, document]));
  const entry = (path: string) => {
    const document = documents.get(path);
    if (!document) throw new Error(`no document has the path ${path}`);
    return {url: base_url + path, sha256: document.sha256, bytes: document.bytes};
  };
  return {
    name: product.name,
    title: product.title,
    kind: product.kind,
    as_of: snapshot.as_of,
    price: product.price,
    sample: entry(sample.path),
    paid: {method: 'GET', ...entry(paid.path)},
    schemas: {sample: entry(paths.sampleSchema(product.name)), paid: entry(paths.paidSchema(product.name))},
    history: entry(paths.history(product.name)),
  };
}
