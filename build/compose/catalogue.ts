import type {Computed} from '../compute/compute.ts';
import {sha256} from '../compute/signing.ts';
import type {Site} from '../read/site.ts';
import {paths} from './paths.ts';

/** A free file of the tree that belongs to no product. */
export interface ExtraFile {
  /** Absolute path, e.g. `/serve.json`. */
  readonly path: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/**
 * `index.json`, the catalogue for programs: every product, and where each of its documents is, with the size and the SHA-256 of the
 * file's bytes.
 *
 * @param bytesOf the bytes of a document by its absolute path
 */
export function catalogueOf(
  site: Site,
  products: readonly Computed[],
  bytesOf: (path: string) => Buffer,
  extras: readonly ExtraFile[],
): object {
  const entry = (path: string) => ({url: site.base_url + path, ...fingerprint(bytesOf(path))});
  return {
    title: site.title,
    version: 'v1',
    base_url: site.base_url,
    payment: {accepts: site.payment.accepts},
    products: products.map(({product, snapshot}) => ({
      name: product.name,
      title: product.title,
      kind: product.kind,
      as_of: snapshot.as_of,
      price: product.price,
      sample: entry(paths.sample(product.name)),
      paid: {method: 'GET', ...entry(paths.paid(product.name))},
      schemas: {sample: entry(paths.sampleSchema(product.name)), paid: entry(paths.paidSchema(product.name))},
      history: entry(paths.history(product.name)),
    })),
    files: extras.map(({path, type, bytes}) => ({path, type, ...fingerprint(bytes)})),
  };
}

interface Fingerprint {
  readonly sha256: string;
  readonly bytes: number;
}

/** Of bytes that were asked for before: pages tell them as the catalogue does. */
const taken = new WeakMap<Buffer, Fingerprint>();

/** Size and SHA-256 of a file's bytes. */
export function fingerprint(bytes: Buffer): Fingerprint {
  const fingerprint = taken.get(bytes) ?? {sha256: sha256(bytes), bytes: bytes.length};
  taken.set(bytes, fingerprint);
  return fingerprint;
}
