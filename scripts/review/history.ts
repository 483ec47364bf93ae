import type {Entry} from './catalogue.ts';
import type {Documents} from './documents.ts';
import {figureChanges, figuresOfPoint} from './figures.ts';
import type {Both, ProductReview} from './report.ts';

/** Points that came and went, and those whose figures changed; the snapshot that is sold is compared elsewhere. */
export function historyChanges(
  {before, after}: Both<Entry>,
  was: Documents,
  is: Documents,
): Pick<ProductReview, 'past' | 'history'> {
  const [old, now] = [was, is].map(({history}) => new Map(history.map(point => [point.as_of, point])));
  const sold = before?.as_of === after?.as_of ? after?.as_of : undefined;
  const schemas = Object.values(is.schemas);
  const past = [...(old ?? [])].flatMap(([as_of, point]) => {
    const other = now?.get(as_of);
    if (!other || as_of === sold) return [];
    const changes = figureChanges(figuresOfPoint(point), figuresOfPoint(other), schemas);
    return changes.length > 0 ? [{as_of, figures: changes}] : [];
  });
  const missingIn = (from: typeof old, other: typeof now) =>
    [...(from?.keys() ?? [])].filter(as_of => !other?.has(as_of));
  return {past, history: {came: missingIn(now, old), went: missingIn(old, now)}};
}
