import {differing, leavesOf, type Joined, type Leaf} from './compare.ts';
import type {Json} from '../../build/kinds/kind.ts';
import type {Documents} from './documents.ts';
import {some, type ListChange, type ProductReview, type Row, type TextChange} from './report.ts';
import {tableChange} from './rows.ts';

/** Members that the review shows elsewhere, or that follow from others. */
const ELSEWHERE = ['as_of', 'rows', 'events', 'rows_total', 'sha256', 'price_usd'];
const PRICE = 'next.price';
/** Members that describe a document or show a part of it. They may be corrected without a new `as_of`. */
const ABOUT = /^(sit|portable|title|reason|note|next|listed|examples|schema|unsigned_event|pubkey_hint)(\.|$)/;

/**
 * Returns the texts and lists of sample and paid document that differ, without figures. Equal changes in both documents are returned once.
 */
export function wordChanges(
  before: Documents,
  after: Documents,
  isFigure: (path: string) => boolean,
  limit: number,
): Pick<ProductReview, 'texts' | 'tables' | 'lists' | 'members'> {
  const wordsOf = (document: Json) =>
    new Map(
      [...leavesOf(document, ELSEWHERE)].filter(
        ([path, leaf]) => path !== PRICE && typeof leaf !== 'number' && !isFigure(path),
      ),
    );
  const sample = differing(wordsOf(before.sample), wordsOf(after.sample));
  const reported = new Set(sample.map(change => JSON.stringify(change)));
  const paid = differing(wordsOf(before.paid), wordsOf(after.paid)).filter(
    change => !reported.has(JSON.stringify(change)),
  );
  const all = [...sample, ...paid.map(change => ({...change, key: `paid ${change.key}`}))];
  const lists = all.filter(isList).map(change => ({...change, table: tableOf(change, limit)}));
  return {
    texts: all.filter(change => !isList(change)).map(textChange),
    tables: lists.flatMap(({table}) => table ?? []),
    lists: lists.filter(({table}) => !table).map(change => listChange(change, limit)),
    members: [...new Set([...sample, ...paid].filter(isMember).map(({key}) => key))],
  };
}

function isMember({key, status}: Joined<Leaf>): boolean {
  return status === 'changed' && !ABOUT.test(key);
}

function isList({before, after}: Joined<Leaf>): boolean {
  return Array.isArray(before) || Array.isArray(after);
}

export function textChange({key, before, after}: Joined<Leaf>): TextChange {
  const text = (leaf: Leaf | undefined) => (leaf === undefined ? undefined : String(leaf));
  return {path: key, before: text(before), after: text(after)};
}

/** Returns the change of a list of objects. Undefined for other lists, and if only the order differs. */
function tableOf({key, before, after}: Joined<Leaf>, limit: number) {
  return isTable(before) && isTable(after) ? tableChange(key, before, after, limit) : undefined;
}

function isTable(leaf: unknown): leaf is readonly Row[] {
  return (
    Array.isArray(leaf) && leaf.every(entry => typeof entry === 'object' && entry !== null && !Array.isArray(entry))
  );
}

function listChange({key, before, after}: Joined<Leaf>, limit: number): ListChange {
  const [was, is] = [entriesOf(before), entriesOf(after)];
  const added = [...is].filter(entry => !was.has(entry));
  const removed = [...was].filter(entry => !is.has(entry));
  return {path: key, added: some(added, limit), removed: some(removed, limit)};
}

function entriesOf(leaf: Leaf = []): Set<string> {
  return new Set([leaf].flat().map(entry => (typeof entry === 'string' ? entry : JSON.stringify(entry))));
}
