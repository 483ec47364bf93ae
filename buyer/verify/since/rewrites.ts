import type {FreezeChain, Link} from '../../../shared/chain.ts';
import {englishList} from '../../../shared/english.ts';
import {editionPath} from '../../../shared/paths.ts';
import type {Catalogue, Entry} from '../../../shared/shapes.ts';

/** A change in the published part of a product or of the chain of a source. */
export interface Rewrite {
  /** The name of the product or source. */
  readonly subject: string;
  readonly kind: keyof typeof REMEDIES;
  /** A sentence that contains only names, dates and digests. */
  readonly says: string;
}

type Listed = Pick<Entry, 'name' | 'title' | 'kind' | 'as_of' | 'price' | 'paid' | 'sample' | 'history' | 'editions'>;

type Offers = Pick<Catalogue, 'base_url'> & {readonly products: readonly Listed[]};

/**
 * Finds published products that were removed, reset to an earlier `as_of`, or changed under the same `as_of`. A newer `as_of` is allowed.
 */
export function productRewrites(before: Offers, after: Offers): Rewrite[] {
  const now = new Map(after.products.map(entry => [entry.name, entry]));
  return before.products.flatMap((was): Rewrite[] => {
    const {name: subject, as_of} = was;
    const is = now.get(subject);
    if (!is) return [{subject, kind: 'gone', says: `${subject} is no longer sold`}];
    if (is.as_of < as_of) return [{subject, kind: 'back', says: `${subject} was reset from ${as_of} to ${is.as_of}`}];
    if (is.as_of > as_of) return [];
    const isSameAddress = before.base_url === after.base_url;
    const [old, other] = [frozenIn(was), frozenIn(is)];
    return Object.keys(old)
      .filter(name => !mayChange(name, was, is, isSameAddress))
      .filter(name => other[name] !== undefined && other[name] !== old[name])
      .map(name => ({subject, kind: 'changed', says: changed(name, was, old[name], other[name])}));
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

const NAMED = 3;

/**
 * Finds rewrites in published chains, one for each kind and source. New freezes after the last one are allowed; everything else must be
 * unchanged.
 */
export function chainRewrites(before: readonly FreezeChain[], after: readonly FreezeChain[]): Rewrite[] {
  const now = new Map(after.map(({name, freezes}) => [name, freezes]));
  return before.flatMap(({name, freezes}) => rewritesOf(name, freezes, now.get(name)));
}

function rewritesOf(subject: string, before: readonly Link[], after: readonly Link[] | undefined): Rewrite[] {
  const last = before.at(-1);
  if (!last) return [];
  const rewrite = (kind: Rewrite['kind'], links: readonly Link[], done: string): Rewrite[] => {
    const [what, verb] = links.length === 1 ? ['freeze', 'was'] : ['freezes', 'were'];
    const says = `the ${what} of ${datesOf(links)} of ${subject} ${verb} ${done}`;
    return links.length === 0 ? [] : [{subject, kind, says}];
  };
  if (!after)
    return [
      {subject, kind: 'unpublished', says: `the chain of ${subject}, up to ${last.date}, is no longer published`},
    ];
  const [old, now] = [byDate(before), byDate(after)];
  const removed = before.filter(({date}) => !now.has(date));
  const end = after.at(-1);
  // Only the last freezes are missing: the source was reset to an earlier state.
  const isBack = end !== undefined && removed.length > 0 && removed.every(({as_of}) => as_of > end.as_of);
  return [
    ...(isBack
      ? rewrite('back', removed, `removed: the source was reset to ${end.date}`)
      : rewrite('removed', removed, 'removed')),
    ...rewrite(
      'changed',
      before.filter(link => isOther(link, now.get(link.date))),
      'changed',
    ),
    ...rewrite(
      'inserted',
      after.filter(({date, as_of}) => !old.has(date) && as_of < last.as_of),
      `inserted before ${last.date} after that freeze was published`,
    ),
  ];
}

function byDate(links: readonly Link[]): ReadonlyMap<string, Link> {
  return new Map(links.map(link => [link.date, link]));
}

function isOther(was: Link, is: Link | undefined): boolean {
  return is !== undefined && (['as_of', 'descriptor', 'previous'] as const).some(member => was[member] !== is[member]);
}

function datesOf(links: readonly Link[]): string {
  const more = links.length - NAMED;
  const dates = links.slice(0, NAMED).map(({date}) => date);
  return englishList(more > 0 ? [...dates, `${more} more`] : dates);
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
} as const satisfies Readonly<Record<string, string>>;
