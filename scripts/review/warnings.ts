import {priceOf} from '../../shared/price.ts';
import {shownPoints} from './numbers.ts';
import type {ProductReview} from './report.ts';
import {say, type Words} from './words.ts';

/** A share that moves by more than this, from 0 to 1, is worth a look. */
const MOVED = 0.1;

/** An as_of before the one that was sold. */
export function wentBack({title, as_of: {before, after}}: ProductReview): Words[] {
  if (before === undefined || after === undefined || Date.parse(after) >= Date.parse(before)) return [];
  return [say`as_of of ${title} went back, from ${before} to ${after}`];
}

/** Another price. */
export function newPrice({title, price: {before, after}}: ProductReview): Words[] {
  if (before === undefined || after === undefined || before === after) return [];
  const up = priceOf(after).micros > priceOf(before).micros;
  return [[...say`the price of ${title} `, up ? 'rises' : 'falls', ...say` from ${before} to ${after}`]];
}

/** Shares that moved by more than ten points. */
export function movedShares({title, figures}: ProductReview): Words[] {
  const moved = figures.filter(({share, difference = 0}) => share && Math.abs(difference) > MOVED);
  return moved.map(({path, difference = 0}) => say`${path} of ${title} moved by ${shownPoints(difference)}`);
}

/** Any change of the shape of the sample, breaking or not. */
export function newShape({title, schemas}: ProductReview): Words[] {
  const changes = schemas.filter(({document, change}) => document === 'sample' && change !== 'words-changed');
  return changes.length > 0 ? [say`the shape of the sample of ${title} changed within v1`] : [];
}

/** Snapshots that the history no longer has. */
export function goneHistory({title, history: {went}}: ProductReview): Words[] {
  return went.map(as_of => say`the history of ${title} no longer has ${as_of}`);
}
