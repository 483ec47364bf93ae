import type {Json} from './documents.ts';

export type Presence = 'added' | 'removed' | 'changed' | 'unchanged';
export type Scalar = string | number | boolean | null;

/** A value in both states; undefined where there was none. */
export interface Both<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** What stands under one key before and after. */
export interface Joined<T> extends Both<T> {
  readonly key: string;
  readonly status: Presence;
}

/** Joins two maps by their keys: those of the newer one in its order, then those that went. */
export function joined<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): Joined<T>[] {
  return [...new Set([...after.keys(), ...before.keys()])].map(key => {
    const both = {before: before.get(key), after: after.get(key)};
    return {key, ...both, status: statusOf(both)};
  });
}

/** The same, without what stayed. */
export function differing<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): Joined<T>[] {
  return joined(before, after).filter(({status}) => status !== 'unchanged');
}

function statusOf({before, after}: Both<unknown>): Presence {
  if (before === undefined) return 'added';
  if (after === undefined) return 'removed';
  return JSON.stringify(before) === JSON.stringify(after) ? 'unchanged' : 'changed';
}

/** A value within a document that is no object: `counts.fraud`, `next.url`, `examples`. */
export type Leaf = Scalar | readonly unknown[];

/**
 * The values of a document by path, members of members too.
 *
 * @param except members of the document that are left out
 * @param intoLists whether each entry of a list is a value of its own: `payment.accepts.0.pay_to`
 */
export function leavesOf(document: Json, except: readonly string[] = [], intoLists = false): Map<string, Leaf> {
  const below = (value: unknown, path: string): [string, Leaf][] => {
    const isLeaf = typeof value !== 'object' || value === null || (Array.isArray(value) && !intoLists);
    if (isLeaf) return [[path, value as Leaf]];
    return Object.entries(value).flatMap(([member, inner]) => below(inner, `${path}.${member}`));
  };
  const kept = Object.entries(document).filter(([member]) => !except.includes(member));
  return new Map(kept.flatMap(([member, value]) => below(value, member)));
}
