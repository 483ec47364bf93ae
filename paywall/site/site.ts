import {soldBy, type Catalogue, type Listed, type RuleEntry, type Rules} from '../../shared/shapes.ts';
import {JSON_TYPE, paths, SIGNATURE_TYPE} from '../../shared/paths.ts';

/** One path the gate answers. `file` is the path below `public/` that holds its bytes. */
export type Item = FreeItem | PaidItem;

export interface FreeItem {
  readonly kind: 'free';
  readonly file: string;
  readonly type: string;
  readonly listed?: Listed;
  /** The site is whole without it. */
  readonly isOptional?: true;
}

export interface PaidItem {
  readonly kind: 'paid';
  readonly file: string;
  readonly rule: RuleEntry;
  readonly listed: Listed;
  /** The snapshot that is sold now. */
  readonly asOf: string;
  /** When a newer one is due, where the publisher says. */
  readonly nextExpected?: string | undefined;
}

/** The documents whose digest is in no list. */
export const catalogueItem = {kind: 'free', file: paths.catalogue, type: JSON_TYPE} as const;
const signatureItem = {kind: 'free', file: paths.signature, type: SIGNATURE_TYPE, isOptional: true} as const;

/** Every path of the site, and no other: what is not a key here does not exist for the gate. */
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
    // Nobody may hand out a path with a price, not even a catalogue that lists it among the free files.
    const listed = product && soldBy(product).find(({url}) => pathOf(url) === rule.path);
    if (listed) {
      const {as_of: asOf, next_expected: nextExpected} = product;
      items.set(rule.path, {kind: 'paid', file: rule.path, rule, listed, asOf, nextExpected});
    } else items.delete(rule.path);
  }
  return items;
}
