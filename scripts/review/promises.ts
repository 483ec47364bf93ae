import type {FigureChange, GoodsChange, ProductReview} from './report.ts';
import {VERDICTS} from './schema-verdicts.ts';
import {say, type Words} from './words.ts';

/** A snapshot's figures in one sentence, at most so many of them. */
const NAMED = 3;

/** Figures that changed under one as_of. */
export function frozenFigures(review: ProductReview): Words[] {
  const changed = isSameSnapshot(review) ? contradicted(review.figures) : [];
  if (changed.length === 0) return [];
  return [
    [
      ...say`figures of ${review.title} changed though as_of, ${review.as_of.after ?? ''}, did not: `,
      ...named(changed),
    ],
  ];
}

/** Figures of past snapshots, which the history keeps, that changed. */
export function pastFigures({title, past}: ProductReview): Words[] {
  return past.flatMap(({as_of, figures}) => {
    const changed = contradicted(figures);
    return changed.length === 0
      ? []
      : [[...say`figures of ${title} at ${as_of}, in its history, changed: `, ...named(changed)]];
  });
}

/** Under one as_of the rows stay; but a document that does not list all of them may list others of them. */
export function frozenGoods(review: ProductReview): Words[] {
  const {goods, title, as_of} = review;
  if (!goods || !isSameSnapshot(review)) return [];
  const contradiction =
    goods.changed.total > 0 ||
    (goods.went.total > 0 && listsAll(goods, 'after')) ||
    (goods.came.total > 0 && listsAll(goods, 'before'));
  return contradiction
    ? [say`the ${goods.member} of ${title} changed though as_of, ${as_of.after ?? ''}, did not`]
    : [];
}

/** Changes of a schema of v1 that break programs. */
export function breakingSchemas({title, schemas}: ProductReview): Words[] {
  return schemas
    .filter(({breaking}) => breaking)
    .map(({document, path, change}) => {
      const place =
        path === '' ? say`the ${document} document of ${title}` : say`${path} in the ${document} document of ${title}`;
      return [...place, `: ${VERDICTS[change][1]}, and v1 never changes shape`];
    });
}

function isSameSnapshot({as_of}: ProductReview): boolean {
  return as_of.before === as_of.after;
}

/** A figure that is new, or gone, contradicts nothing that was sold; the schemas tell of it. */
function contradicted(figures: readonly FigureChange[]): FigureChange[] {
  return figures.filter(({before, after}) => before !== undefined && after !== undefined);
}

function named(figures: readonly FigureChange[]): Words {
  const more = figures.length - NAMED;
  return [
    ...figures.slice(0, NAMED).flatMap(({path}, index): Words => [...(index > 0 ? [', '] : []), {data: path}]),
    ...(more > 0 ? [` and ${more} more`] : []),
  ];
}

function listsAll({listed, total}: GoodsChange, when: 'before' | 'after'): boolean {
  return listed[when] === total[when];
}
