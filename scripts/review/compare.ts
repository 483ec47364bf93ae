import type {Json} from '../../build/kinds/kind.ts';

export type Presence = 'added' | 'removed' | 'changed' | 'unchanged';
export type Scalar = string | number | boolean | null;

/** A value in both revisions; undefined if it is missing. */
export interface Both<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** The values of one key in both revisions. */
export interface Joined<T> extends Both<T> {
  readonly key: string;
  readonly status: Presence;
}

/** Joins two maps by key: keys of the newer map in its order, then removed keys. */
export function joined<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): Joined<T>[] {
  return [...new Set([...after.keys(), ...before.keys()])].map(key => {
    const both = {before: before.get(key), after: after.get(key)};
    return {key, ...both, status: statusOf(both)};
  });
}

/** Returns only the keys whose values differ. */
export function differing<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): Joined<T>[] {
  return joined(before, after).filter(({status}) => status !== 'unchanged');
}

function statusOf({before, after}: Both<unknown>): Presence {
  if (before === undefined) return 'added';
  if (after === undefined) return 'removed';
  return JSON.stringify(before) === JSON.stringify(after) ? 'unchanged' : 'changed';
}

/** A value in a document that is not an object: `counts.fraud`, `next.url`, `examples`. */
export type Leaf = Scalar | readonly unknown[];

/**
 * Returns the values of a document by path, recursively.
 *
 * @param except members of the document to omit
 * @param intoLists true if each entry of a list is a separate value: `payment.accepts.0.pay_to`
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
