import type {Documents, Json} from './documents.ts';
import {isScalar, keysOfBoth, leavesOf, type Leaf} from './leaves.ts';
import {some, type ListChange, type TextChange} from './report.ts';

/** Members that the review shows on their own, or that follow from others. */
const ELSEWHERE = ['as_of', 'rows', 'events', 'rows_total', 'sha256', 'price_usd'];
const PRICE = 'next.price';

export interface Words {
  readonly texts: readonly TextChange[];
  readonly lists: readonly ListChange[];
}

/** Texts and lists of the sample and the paid document that differ, without the figures; what both documents say is told once. */
export function wordChanges(
  before: Documents,
  after: Documents,
  isFigure: (path: string) => boolean,
  limit: number,
): Words {
  const sample = changed(wordsOf(before.sample, isFigure), wordsOf(after.sample, isFigure));
  const told = new Set(sample.map(({path, before: was, after: is}) => JSON.stringify([path, was, is])));
  const paid = changed(wordsOf(before.paid, isFigure), wordsOf(after.paid, isFigure))
    .filter(({path, before: was, after: is}) => !told.has(JSON.stringify([path, was, is])))
    .map(change => ({...change, path: `paid ${change.path}`}));
  const all = [...sample, ...paid];
  return {
    texts: all.filter(({before: was, after: is}) => !Array.isArray(was) && !Array.isArray(is)).map(asTexts),
    lists: all
      .filter(({before: was, after: is}) => Array.isArray(was) || Array.isArray(is))
      .map(one => listChange(one, limit)),
  };
}

interface LeafChange {
  readonly path: string;
  readonly before: Leaf | undefined;
  readonly after: Leaf | undefined;
}

function wordsOf(document: Json, isFigure: (path: string) => boolean): Map<string, Leaf> {
  const leaves = leavesOf(document, ELSEWHERE);
  return new Map([...leaves].filter(([path, leaf]) => path !== PRICE && typeof leaf !== 'number' && !isFigure(path)));
}

function changed(before: ReadonlyMap<string, Leaf>, after: ReadonlyMap<string, Leaf>): LeafChange[] {
  return keysOfBoth(before, after)
    .map(path => ({path, before: before.get(path), after: after.get(path)}))
    .filter(change => JSON.stringify(change.before) !== JSON.stringify(change.after));
}

function asTexts({path, before, after}: LeafChange): TextChange {
  const text = (leaf: Leaf | undefined) =>
    leaf === undefined ? undefined : isScalar(leaf) ? String(leaf) : JSON.stringify(leaf);
  return {path, before: text(before), after: text(after)};
}

function listChange({path, before, after}: LeafChange, limit: number): ListChange {
  const [was, is] = [entriesOf(before), entriesOf(after)];
  return {path, came: some(beyond(is, was), limit), went: some(beyond(was, is), limit)};
}

/** The entries of one list that the other has not. */
function beyond(entries: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return entries.filter(entry => !known.has(entry));
}

function entriesOf(leaf: Leaf | undefined): string[] {
  if (leaf === undefined) return [];
  const entries: readonly unknown[] = Array.isArray(leaf) ? leaf : [leaf];
  return entries.map(entry => (typeof entry === 'string' ? entry : JSON.stringify(entry)));
}
