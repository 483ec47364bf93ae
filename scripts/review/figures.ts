import {differing, leavesOf, type Scalar} from './compare.ts';
import type {Documents, Point} from './documents.ts';
import {moveOf} from './numbers.ts';
import type {FigureChange} from './report.ts';

export type Figures = ReadonlyMap<string, Scalar>;

/** Members that describe a document or are for sale, so they are not figures. */
const NO_FIGURES = ['as_of', 'next', 'rows', 'events', 'unsigned_event', 'schema'];

/** Returns the figures of a product: those in its history for this snapshot, and all other numbers of its two documents. */
export function figuresOf({history, sample, paid}: Documents, asOf: string): Figures {
  const point = history.find(({as_of}) => as_of === asOf);
  const numbers = [paid, sample].flatMap(document => [...leavesOf(document, NO_FIGURES)]);
  return new Map([
    ...numbers.flatMap(([path, leaf]): [string, Scalar][] => (typeof leaf === 'number' ? [[path, leaf]] : [])),
    ...(point ? figuresOfPoint(point) : []),
  ]);
}

/** Returns the figures of a point of a history by their paths, without `as_of` and without lists. */
export function figuresOfPoint(point: Point): Figures {
  const leaves = [...leavesOf(point, ['as_of'])];
  return new Map(leaves.flatMap(([path, leaf]) => (typeof leaf === 'object' && leaf !== null ? [] : [[path, leaf]])));
}

/** Returns all values of a published point. Its lists must not change either, so they are compared as JSON. */
export function valuesOfPoint(point: Point): Figures {
  const leaves = [...leavesOf(point, ['as_of'])];
  return new Map(leaves.map(([path, leaf]) => [path, typeof leaf === 'object' ? JSON.stringify(leaf) : leaf]));
}

/** Returns the figures that differ, including added and removed ones. */
export function figureChanges(before: Figures, after: Figures): FigureChange[] {
  return differing(before, after).map(({key: path, before: was, after: is}) => ({
    path,
    before: was,
    after: is,
    share: SHARE_NAME.test(path) && [was, is].every(isShare),
    ...(typeof was === 'number' && typeof is === 'number' ? moveOf(was, is) : {}),
  }));
}

/** The names of shares in documents of all kinds, and usual ones in SQL. */
const SHARE_NAME = /(^|[._])(ratio|share)$/;

function isShare(value: Scalar | undefined): boolean {
  return value === undefined || (typeof value === 'number' && value >= 0 && value <= 1);
}
