import type {Computed} from '../compute/compute.ts';
import type {Site} from '../read/site.ts';
import {paths} from './paths.ts';
import type {Fingerprint} from './text.ts';
import {whenWritten} from './when-written.ts';

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
 * @param fingerprintOf of a file by its absolute path
 */
export function catalogueOf(
  site: Site,
  products: readonly Computed[],
  fingerprintOf: (path: string) => Fingerprint | undefined,
  extras: readonly ExtraFile[],
): object {
  const entry = (path: string) => ({url: site.base_url + path, ...fingerprintOf(path)});
  return {
    title: site.title,
    version: 'v1',
    base_url: site.base_url,
    payment: {accepts: site.payment.accepts},
    products: products.map(({product, snapshot}) =>
      whenWritten(() => ({
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
    ),
    files: extras.map(({path, type}) => ({path, type, ...fingerprintOf(path)})),
  };
}
