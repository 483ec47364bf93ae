import {editionPath} from '../../../shared/paths.ts';
import type {Catalogue, Entry} from '../../../shared/shapes.ts';
import type {ChainRewrite} from './chain-rewrites.ts';

/** A change in the published part of a product. */
interface ProductRewrite {
  readonly product: string;
  readonly kind: 'gone' | 'back' | 'changed';
  readonly says: string;
}

type Listed = Pick<Entry, 'name' | 'title' | 'kind' | 'as_of' | 'price' | 'paid' | 'sample' | 'history' | 'editions'>;

type Offers = Pick<Catalogue, 'base_url'> & {readonly products: readonly Listed[]};

/**
 * Finds published products that were removed, reset to an earlier `as_of`, or changed under the same `as_of`. A newer `as_of` is allowed.
 */
export function productRewrites(before: Offers, after: Offers): ProductRewrite[] {
  const now = new Map(after.products.map(entry => [entry.name, entry]));
  return before.products.flatMap((was): ProductRewrite[] => {
    const {name: product, as_of} = was;
    const is = now.get(product);
    if (!is) return [{product, kind: 'gone', says: `${product} is no longer sold`}];
    if (is.as_of < as_of) return [{product, kind: 'back', says: `${product} was reset from ${as_of} to ${is.as_of}`}];
    if (is.as_of > as_of) return [];
    const isSameAddress = before.base_url === after.base_url;
    const [old, other] = [frozenIn(was), frozenIn(is)];
    return Object.keys(old)
      .filter(name => !mayChange(name, was, is, isSameAddress))
      .filter(name => other[name] !== undefined && other[name] !== old[name])
      .map(name => ({product, kind: 'changed', says: changed(name, was, old[name], other[name])}));
  });
}

/** Returns the digests that must not change under one `as_of`. */
function frozenIn({name, paid, sample, history, editions = []}: Listed): Readonly<Record<string, string>> {
  return {
    'paid document': paid.sha256,
    sample: sample.sha256,
    history: history.sha256,
    ...Object.fromEntries(editions.map(edition => [`edition ${editionPath(name, edition)}`, edition.sha256])),
  };
}

/**
 * True if a document may change with its product: a sample contains address, title and price, and for a bundle the prices of its products;
 * a history contains the title. `sinceCheck` checks these changes. The paid document of a bundle contains the addresses of its documents,
 * whose digests are compared separately.
 */
export function mayChange(
  document: string,
  was: Pick<Entry, 'title' | 'kind' | 'price'>,
  is: Pick<Entry, 'title' | 'price'>,
  isSameAddress: boolean,
): boolean {
  const isSameTitle = was.title === is.title;
  if (document === 'sample') return was.kind === 'bundle' || !isSameAddress || !isSameTitle || was.price !== is.price;
  if (document === 'paid document') return was.kind === 'bundle' && !isSameAddress;
  return document === 'history' && !isSameTitle;
}

function changed(document: string, {name, as_of}: Listed, was = '', is = ''): string {
  return `the ${document} of ${name} changed under the same as_of, ${as_of}: its SHA-256 was ${was} and is now ${is}`;
}

/** The remedy for each kind of rewrite, as the end of the message. */
export const REMEDIES = {
  gone: 'restore its file in data/products/ and build again',
  unpublished:
    'restore its freezes and build again; a chain is published only if a product uses its source and it has two freezes or more',
  back: 'restore the later freezes and build again',
  removed: 'restore what was removed and build again',
  changed: 'restore what was published, and publish a correction as a new freeze with a later as_of',
  inserted: 'remove it again; a list that was missed can be published as a new freeze with a later as_of',
} as const satisfies Readonly<Record<ChainRewrite['kind'] | ProductRewrite['kind'], string>>;
