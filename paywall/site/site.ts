import {
  soldBy,
  type Catalogue,
  type Listed,
  type RuleEntry,
  type Rules,
  type SoldDocument,
} from '../../shared/shapes.ts';
import {JSON_TYPE, paths, SIGNATURE_TYPE} from '../../shared/paths.ts';

/** A path that the gate serves. `file` is the path of its bytes below `public/`. */
export type Item = FreeItem | PaidItem;

export interface FreeItem {
  readonly kind: 'free';
  readonly file: string;
  readonly type: string;
  readonly listed?: Listed;
  /** The site is complete without the file. */
  readonly isOptional?: true;
}

export interface PaidItem {
  readonly kind: 'paid';
  readonly file: string;
  readonly rule: RuleEntry;
  readonly listed: Omit<SoldDocument, 'url'>;
  /** The snapshot that is for sale. */
  readonly asOf: string;
  /** When the next snapshot is expected, if the publisher declares it. */
  readonly nextExpected?: string | undefined;
}

// The catalogue does not list its own digest, nor that of its signature.
export const catalogueItem = {kind: 'free', file: paths.catalogue, type: JSON_TYPE} as const;
const signatureItem = {kind: 'free', file: paths.signature, type: SIGNATURE_TYPE, isOptional: true} as const;

/** Returns all paths of the site. The gate answers every other path with 404. */
export function itemsOf(rules: Rules, catalogue: Catalogue): Map<string, Item> {
  const pathOf = (url: string) => url.slice(catalogue.base_url.length);
  const items = new Map<string, Item>([[paths.catalogue, catalogueItem]]);
  if (catalogue.signing) items.set(paths.signature, signatureItem);
  for (const {path: file, type, ...listed} of catalogue.files) items.set(file, {kind: 'free', file, type, listed});
  for (const {sample, schemas, history} of catalogue.products) {
    for (const {url, ...listed} of [sample, schemas.sample, schemas.paid, history]) {
      items.set(pathOf(url), {kind: 'free', file: pathOf(url), type: JSON_TYPE, listed});
    }
  }
  const home = items.get('/index.html');
  if (home) items.set('/', home);
  const products = new Map(catalogue.products.map(product => [product.name, product]));
  for (const rule of rules.rules) {
    const product = products.get(rule.name);
    // A path with a price is never free, even if the catalogue lists it among the free files.
    const listed = product && soldBy(product).find(({url}) => pathOf(url) === rule.path);
    if (listed) {
      const {as_of: asOf, next_expected: nextExpected} = product;
      items.set(rule.path, {kind: 'paid', file: rule.path, rule, listed, asOf, nextExpected});
    } else items.delete(rule.path);
  }
  return items;
}
