import type {Json} from '../kinds/kind.ts';
import type {Site} from '../read/site.ts';
import type {ProductDocuments} from '../documents/documents.ts';
import type {Part} from './in-parts.ts';
import {paths} from '../../shared/paths.ts';
import type {Fingerprint} from '../documents/text.ts';

/** A free file of the tree that belongs to no product. */
export interface ExtraFile {
  /** Absolute path, e.g. `/serve.json`. */
  readonly path: string;
  readonly type: string;
}

/**
 * `index.json`, the catalogue for programs: every product, and where each of its documents is, with the size and the SHA-256 of the
 * file's bytes.
 *
 * @param products the entry of each
 */
export function catalogueOf(
  site: Site,
  products: readonly (Json | Part)[],
  files: readonly (ExtraFile & Partial<Fingerprint>)[],
): object {
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
export function entryOf({base_url}: Site, {computed, sample, paid, others}: ProductDocuments): Json {
  const {product, snapshot} = computed;
  const documents = new Map([sample, paid, ...others].map(({path, sha256, bytes}) => [path, {sha256, bytes}]));
  const entry = (path: string) => ({url: base_url + path, ...documents.get(path)});
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
