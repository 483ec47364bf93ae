import {seal, sha256} from '../../../shared/digest.ts';
import type {Json} from '../../../build/kinds/kind.ts';
import {encode} from '../../../shared/encode.ts';
import {paths} from '../../../shared/paths.ts';
import type {Catalogue, Entry} from '../../../shared/shapes.ts';
import {failed, passed, type Check} from '../check.ts';
import {isObject, readObject} from '../untrusted-json.ts';
import {mayChange} from './rewrites.ts';

/** A product in an earlier catalogue, and the address of the site at that time. */
export type PreviousEntry = Pick<Entry, 'name' | 'title' | 'kind' | 'as_of' | 'price' | 'sample' | 'history'> &
  Pick<Catalogue, 'base_url'> & {
    /** For a bundle: the products whose prices are in its sample. */
    readonly held?: readonly Pick<Entry, 'name' | 'price'>[] | undefined;
  };

/**
 * Returns the documents of a product whose digest may have changed for a legitimate reason: a history with new points or another title; a
 * sample with another title, price or address, or for a bundle with other prices or addresses of its products. `sinceCheck` reverts
 * exactly these changes.
 */
export function explainableChanges(was: PreviousEntry, is: PreviousEntry): ('history' | 'sample')[] {
  if (was.as_of > is.as_of) return [];
  const isSameAddress = was.base_url === is.base_url;
  const isNews = was.as_of < is.as_of;
  return (['history', 'sample'] as const).filter(part => {
    if (was[part].sha256 === is[part].sha256) return false;
    if (part === 'history') return isNews || mayChange(part, was, is, isSameAddress);
    return !isNews && mayChange(part, was, is, isSameAddress);
  });
}

/**
 * Checks that a history or a sample is unchanged apart from what may change, and that no later point of a history lacks a class.
 *
 * @param base_url the current address of the site
 */
export function sinceCheck(
  subject: string,
  part: 'history' | 'sample',
  bytes: Uint8Array,
  was: PreviousEntry,
  base_url: string,
): Check {
  const value = readObject(subject, bytes);
  const former = part === 'history' ? formerHistory(value, was) : formerSample(value, was, base_url);
  if (sha256(encode(former)) !== was[part].sha256)
    return failed('since', subject, `the ${part} was rewritten: its content up to ${was.as_of} changed`);
  if (part === 'sample') return passed('since', subject, 'is unchanged except for its title, price or address');
  const missing = missingClass(value, was);
  if (missing === undefined) return passed('since', subject, 'begins unchanged');
  return failed('since', subject, `${missing}, but v1 keeps its classes`);
}

function formerHistory(value: Json, {title, as_of}: PreviousEntry): Json {
  return {...value, title, points: pointsOf(value).filter(point => isUpTo(point, as_of))};
}

/** Returns a message if a later point lacks a class of the last earlier point. New classes are allowed. */
function missingClass(history: Json, {kind, as_of}: PreviousEntry): string | undefined {
  if (kind !== 'class-share') return undefined;
  const points = pointsOf(history);
  const classes = Object.keys(countsOf(points.findLast(point => isUpTo(point, as_of)) ?? {}));
  for (const point of points.filter(point => !isUpTo(point, as_of))) {
    const missing = classes.find(name => !Object.hasOwn(countsOf(point), name));
    if (missing !== undefined) return `counts.${missing} is missing in the history at ${String(point['as_of'])}`;
  }
  return undefined;
}

function countsOf({counts}: Json): Json {
  return isObject(counts) ? counts : {};
}

function pointsOf({points}: Json): Json[] {
  return Array.isArray(points) ? points.filter(isObject) : [];
}

function isUpTo(point: Json, as_of: string): boolean {
  return typeof point['as_of'] === 'string' && point['as_of'] <= as_of;
}

/** Returns a sample with its earlier title, prices and address. */
function formerSample(value: Json, was: PreviousEntry, base_url: string): Json {
  const next = isObject(value['next']) ? value['next'] : {};
  const reason = String(value['reason']);
  const title = `${String(next['title'])}: `;
  const url = was.base_url + paths.paid(was.name);
  const prices = new Map(was.held?.map(({name, price}) => [name, price]));
  const documents = Array.isArray(value['documents']) ? (value['documents'] as unknown[]) : [];
  return seal({
    ...value,
    reason: reason.startsWith(title) ? `${was.title}: ${reason.slice(title.length)}` : reason,
    title: `${was.title} Sample`,
    next: {...next, title: was.title, price: was.price, ...(next['url'] === base_url + paths.paid(was.name) && {url})},
    ...('price_usd' in value && {price_usd: was.price}),
    ...(was.held && {
      documents: documents.map(one => {
        const price = isObject(one) ? prices.get(String(one['name'])) : undefined;
        if (!isObject(one) || price === undefined) return one;
        const sample = paths.sample(String(one['name']));
        return {...one, price, ...(one['sample'] === base_url + sample && {sample: was.base_url + sample})};
      }),
    }),
  });
}
