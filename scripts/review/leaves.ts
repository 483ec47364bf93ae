import type {Json} from './documents.ts';
import type {Scalar} from './report.ts';

/** A value within a document that is no object: `counts.fraud`, `next.url`, `examples`. */
export type Leaf = Scalar | readonly unknown[];

/** The values of a document by path, members of members too; whole members can be left out. */
export function leavesOf(document: Json, except: readonly string[] = []): Map<string, Leaf> {
  const kept = Object.entries(document).filter(([member]) => !except.includes(member));
  return new Map(kept.flatMap(([member, value]) => below(value, member)));
}

function below(value: unknown, path: string): [string, Leaf][] {
  if (Array.isArray(value)) return [[path, value]];
  if (typeof value !== 'object' || value === null) return [[path, value as Scalar]];
  return Object.entries(value).flatMap(([member, inner]) => below(inner, `${path}.${member}`));
}

/** All keys of both, in the order of the newer one. */
export function keysOfBoth(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] {
  return [...new Set([...after.keys(), ...before.keys()])];
}

export function isScalar(leaf: Leaf | undefined): leaf is Scalar {
  return leaf !== undefined && !Array.isArray(leaf);
}
