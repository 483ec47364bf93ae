import type {FreezeChain, Link} from '../../../shared/chain.ts';
import {englishList} from '../../../shared/english.ts';

/** A change in the published part of a chain. */
export interface ChainRewrite {
  readonly source: string;
  readonly kind: 'unpublished' | 'back' | 'removed' | 'changed' | 'inserted';
  /** A sentence that contains only names and dates. */
  readonly says: string;
}

const NAMED = 3;

/**
 * Finds rewrites in published chains, one for each kind and source. New freezes after the last one are allowed; everything else must be
 * unchanged.
 */
export function chainRewrites(before: readonly FreezeChain[], after: readonly FreezeChain[]): ChainRewrite[] {
  const now = new Map(after.map(({name, freezes}) => [name, freezes]));
  return before.flatMap(({name, freezes}) => rewritesOf(name, freezes, now.get(name)));
}

function rewritesOf(source: string, before: readonly Link[], after: readonly Link[] | undefined): ChainRewrite[] {
  const last = before.at(-1);
  if (!last) return [];
  const rewrite = (kind: ChainRewrite['kind'], links: readonly Link[], done: string): ChainRewrite[] => {
    const [what, verb] = links.length === 1 ? ['freeze', 'was'] : ['freezes', 'were'];
    const says = `the ${what} of ${datesOf(links)} of ${source} ${verb} ${done}`;
    return links.length === 0 ? [] : [{source, kind, says}];
  };
  if (!after)
    return [{source, kind: 'unpublished', says: `the chain of ${source}, up to ${last.date}, is no longer published`}];
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
