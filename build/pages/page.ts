import type {ProductRecord} from '../documents/record.ts';
import type {Site} from '../read/site.ts';

/** A free file of the site that belongs to no product: one file in this folder, whose default export is its `Page`. */
export interface Page {
  /** Absolute path, e.g. `/index.html`. */
  readonly path: string;
  /** Content type. */
  readonly type: string;
  compose(site: Site, products: readonly ProductRecord[]): string;
}
