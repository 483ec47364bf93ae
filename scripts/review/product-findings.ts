import {REMEDIES} from '../../buyer/verify/since/rewrites.ts';
import {priceOf} from '../../shared/price.ts';
import {shownPoints} from './numbers.ts';
import {finding, type FigureChange, type Finding, type ProductReview, type RowsChange} from './report.ts';
import type {SchemaChange} from './schema-changes.ts';
import {shapePromise, VERDICTS} from './schema-verdicts.ts';
import {listed, own, say, type Words} from './words.ts';

/** Changes of a share above this value, from 0 to 1, are reported. */
const MOVED = 0.1;
const NAMED = 3;
/** The effect of a change to earlier snapshots of a history. The end of a message. */
const REFUSED = 'buyers who know the former history refuse the product until they accept the change';

/**
 * Yields the findings of a product. Promises come first: data of an `as_of` never changes, a schema of v1 never breaks programs, v1 keeps
 * selling its products.
 */
export function* productFindings(review: ProductReview): Generator<Finding> {
  const {name: product, title, status, kind} = review;
  const found = (code: Finding['code'], says: Words) => finding(code, says, {product});
  if (status === 'removed')
    yield found(
      'product-removed',
      say`${title} is no longer sold, but products of v1 stay for sale: ${own(REMEDIES.gone)}`,
    );
  const {before: was, after: is} = review.as_of;
  const {before: price, after: newPrice} = review.price;
  if (was === undefined || is === undefined || price === undefined || newPrice === undefined) return;

  if (Date.parse(is) < Date.parse(was))
    yield found('as-of-back', say`as_of of ${title} went back, from ${was} to ${is}`);
  if (price !== newPrice) {
    const verb = own(priceOf(newPrice).micros > priceOf(price).micros ? 'rises' : 'falls');
    yield found('price-changed', say`the price of ${title} ${verb} from ${price} to ${newPrice}`);
  }
  const inDocuments = [...documentFindings(review, was, is)];
  // Another kind changes nearly everything, so one finding replaces the others.
  if (kind.before !== kind.after && inDocuments.some(({severity}) => severity === 'broken'))
    yield found(
      'kind-changed',
      say`the kind of ${title} changed from ${kind.before} to ${kind.after}, ${own(shapePromise('other-changed'))}`,
    );
  else yield* inDocuments;
}

/** Yields the findings about the documents of a product, as of `was` and `is`. */
function* documentFindings(review: ProductReview, was: string, is: string): Generator<Finding> {
  const {name: product, title, figures, past, history, schemas} = review;
  const found = (code: Finding['code'], says: Words) => finding(code, says, {product});
  const frozen = was === is ? [...contradicted(figures), ...review.members] : [];
  if (frozen.length > 0)
    yield found(
      'figures-changed',
      say`figures of ${title} changed though as_of, ${is}, did not: ${listed(frozen, NAMED)}; ${own(REMEDIES.changed)}`,
    );
  const changed = past
    .map(({as_of, figures: all}) => ({as_of, paths: contradicted(all)}))
    .filter(({paths}) => paths.length > 0);
  if (changed.length > 0) {
    const [dates, paths] = [changed.map(({as_of}) => as_of), new Set(changed.flatMap(point => point.paths))];
    yield found(
      'past-figures-changed',
      say`figures of ${title} at ${listed(dates, NAMED)}, in its history, changed: ${listed([...paths], NAMED)}; ${own(REMEDIES.changed)}`,
    );
  }
  if (was === is && review.rows && contradicts(review.rows))
    yield found(
      'rows-changed',
      say`the ${own(review.rows.member)} of ${title} changed though as_of, ${is}, did not: ${own(REMEDIES.changed)}`,
    );
  for (const {document, path, change} of schemas.filter(({breaking}) => breaking)) {
    const place = path === '' ? say`the ${own(document)} document` : say`${path} in the ${own(document)} document`;
    yield found(
      'breaking-schema',
      say`${place} of ${title}: ${own(`${VERDICTS[change][1]}, ${shapePromise(change)}`)}`,
    );
  }
  for (const {path, share, difference = 0} of figures) {
    if (share && Math.abs(difference) > MOVED)
      yield found('share-moved', say`${path} of ${title} moved by ${shownPoints(difference)}`);
  }
  if (schemas.some(isOtherShape))
    yield found('shape-changed', say`the shape of the sample of ${title} changed within v1`);
  if (history.removed.length > 0)
    yield found(
      'history-gone',
      say`the history of ${title} no longer has ${listed(history.removed, NAMED)}: ${own(REFUSED)}`,
    );
  const inserted = history.added.filter(as_of => as_of < was);
  if (inserted.length > 0)
    yield found(
      'history-inserted',
      say`the history of ${title} has additional snapshots before ${was}, ${listed(inserted, NAMED)}: ${own(REFUSED)}`,
    );
}

/** True for a change in the shape of the sample. A new class in its counts does not change the shape. */
function isOtherShape({document, change}: SchemaChange): boolean {
  return document === 'sample' && !['words-changed', 'class-added'].includes(change);
}

/** Returns the figures with other values. Added or removed figures contradict no document; the schemas show them. */
function contradicted(figures: readonly FigureChange[]): string[] {
  return figures.filter(({before, after}) => before !== undefined && after !== undefined).map(({path}) => path);
}

/** True if rows of the same `as_of` differ. A document that lists only some of the rows may list others now. */
function contradicts({changed, everywhere, removed, added, listed: some, total}: RowsChange): boolean {
  return (
    changed.total > 0 ||
    everywhere.length > 0 ||
    (removed.total > 0 && some.after === total.after) ||
    (added.total > 0 && some.before === total.before)
  );
}
