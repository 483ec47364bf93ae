import type {Catalogue, Sites} from './catalogue.ts';
import {joined, type Joined} from './compare.ts';
import {fileOf, readDocuments, type Documents} from './documents.ts';
import {figureChanges, figuresOf, figuresOfPoint} from './figures.ts';
import {goodsChange} from './goods.ts';
import type {ProductReview} from './report.ts';
import {schemaChanges} from './schema-changes.ts';
import {wordChanges} from './texts.ts';

/** Told how many products were compared. */
export type OnProducts = (done: number, of: number) => void;

/** Compares every product of two sites; documents that git knows to be equal are not read. */
export async function reviewProducts(sites: Sites, limit: number, onProducts: OnProducts): Promise<ProductReview[]> {
  const pairs = joined(entriesOf(sites.before.catalogue), entriesOf(sites.after.catalogue));
  const reviews: ProductReview[] = [];
  for (const pair of pairs) {
    const review = outline(pair, sites);
    reviews.push(review.status === 'unchanged' ? review : {...review, ...(await changesOf(pair, sites, limit))});
    onProducts(reviews.length, pairs.length);
  }
  return reviews;
}

type Pair = Joined<ReturnType<typeof entriesOf> extends Map<string, infer E> ? E : never>;

function entriesOf({products}: Catalogue) {
  return new Map(
    products.map(({name, title, as_of, price, paid}) => [name, {title, as_of, price, sha256: paid.sha256}]),
  );
}

/** A product of which nothing else changed. */
function outline({key: name, before, after, status}: Pair, sites: Sites): ProductReview {
  const [was, is] = [sites.before.state.ids, sites.after.state.ids];
  const files = DOCUMENTS.filter(document => document !== 'paid' || !sites.withheld).map(one => fileOf(one, name));
  const same = files.every(file => was.has(file) && was.get(file) === is.get(file));
  return {
    name,
    title: (after ?? before)?.title ?? name,
    status: status === 'unchanged' && !same ? 'changed' : status,
    price: {before: before?.price, after: after?.price},
    as_of: {before: before?.as_of, after: after?.as_of},
    figures: [],
    figures_unchanged: 0,
    past: [],
    history: {came: [], went: []},
    goods: undefined,
    lists: [],
    texts: [],
    schemas: [],
  };
}

const DOCUMENTS = ['sample', 'paid', 'sampleSchema', 'paidSchema', 'history'] as const;

/** The figures of a product, all of them where it is new or gone, and everything else that differs between its two states. */
async function changesOf(
  {key: name, before, after}: Pair,
  {before: base, after: head, withheld}: Sites,
  limit: number,
) {
  const was = before && (await readDocuments(base.state, name, withheld));
  const is = after && (await readDocuments(head.state, name, withheld));
  const old = was ? figuresOf(was, before.as_of) : new Map<string, never>();
  const now = is ? figuresOf(is, after.as_of) : new Map<string, never>();
  const schemas = [was, is].flatMap(documents => (documents ? [documents.sampleSchema, documents.paidSchema] : []));
  const figures = figureChanges(old, now, schemas);
  const figures_unchanged = now.size - figures.filter(change => change.after !== undefined).length;
  if (!was || !is) return {figures, figures_unchanged};

  const names = new Set([...was.history, ...is.history].flatMap(point => [...figuresOfPoint(point).keys()]));
  return {
    figures,
    figures_unchanged,
    ...historyChanges(was, is, before.as_of === after.as_of ? after.as_of : undefined),
    goods: goodsChange(was.paid, is.paid, limit),
    ...wordChanges(was, is, path => names.has(path), limit),
    schemas: [
      ...schemaChanges('sample', was.sampleSchema, is.sampleSchema),
      ...schemaChanges('paid', was.paidSchema, is.paidSchema),
    ],
  };
}

/**
 * Points of the history that came and went, and those whose figures changed.
 *
 * @param sold the `as_of` of the snapshot that both states sell, which is compared elsewhere
 */
function historyChanges(was: Documents, is: Documents, sold: string | undefined) {
  const byDate = ({history}: Documents) => new Map(history.map(point => [point.as_of, point]));
  const points = joined(byDate(was), byDate(is));
  const dates = (wanted: string) => points.filter(({status}) => status === wanted).map(({key}) => key);
  const past = points.map(({key: as_of, before, after}) => {
    const kept = before && after && as_of !== sold;
    const schemas = [is.sampleSchema, is.paidSchema];
    return {as_of, figures: kept ? figureChanges(figuresOfPoint(before), figuresOfPoint(after), schemas) : []};
  });
  return {
    past: past.filter(({figures}) => figures.length > 0),
    history: {came: dates('added'), went: dates('removed')},
  };
}
