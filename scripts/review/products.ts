import {filesOf, readDocuments, type Documents} from './documents.ts';
import {figureChanges, figuresOf, figuresOfPoint} from './figures.ts';
import {goodsChange} from './goods.ts';
import {historyChanges} from './history.ts';
import type {Catalogue, Entry, Site} from './catalogue.ts';
import {presence, type Both, type ProductReview, type TextChange} from './report.ts';
import {schemaChanges} from './schema-changes.ts';
import {holding, type State} from './state.ts';
import {wordChanges} from './texts.ts';

/** So many products' documents are in memory at a time. */
const AT_A_TIME = 20;

/** Told how many products were compared. */
export type OnProducts = (done: number, of: number) => void;

/** Compares every product of two sites; documents that git knows to be equal are not read. */
export async function reviewProducts(
  base: Site,
  head: Site,
  limit: number,
  onProducts: OnProducts,
): Promise<ProductReview[]> {
  const pairs = pairsOf(base.catalogue, head.catalogue);
  const reviews: ProductReview[] = [];
  for (let at = 0; at < pairs.length; at += AT_A_TIME) {
    const group = pairs.slice(at, at + AT_A_TIME);
    const changed = group.filter(pair => !isSame(pair, base.state, head.state));
    const files = changed.flatMap(({name}) => filesOf(head.state, name));
    const [before, after] = [await holding(base.state, files), await holding(head.state, files)];
    for (const pair of group) {
      reviews.push(changed.includes(pair) ? await reviewProduct(pair, before, after, limit) : unchanged(pair));
    }
    onProducts(reviews.length, pairs.length);
  }
  return reviews;
}

interface Pair extends Both<Entry> {
  readonly name: string;
}

/** Products by name, in the order of the newer catalogue; those that went come last. */
function pairsOf(base: Catalogue, head: Catalogue): Pair[] {
  const [was, is] = [base, head].map(({products}) => new Map(products.map(entry => [entry.name, entry])));
  const names = [...new Set([...(is?.keys() ?? []), ...(was?.keys() ?? [])])];
  return names.map(name => ({name, before: was?.get(name), after: is?.get(name)}));
}

function isSame({name, before, after}: Pair, base: State, head: State): boolean {
  const told = ({title, kind, as_of, price, paid}: Entry) => JSON.stringify([title, kind, as_of, price, paid.sha256]);
  if (!before || !after || told(before) !== told(after)) return false;
  return filesOf(head, name).every(file => base.ids.has(file) && base.ids.get(file) === head.ids.get(file));
}

function unchanged(pair: Pair): ProductReview {
  return {...outline(pair), status: 'unchanged', ...NOTHING};
}

const NOTHING = {
  figures: [],
  figures_unchanged: 0,
  past: [],
  history: {came: [], went: []},
  goods: undefined,
  lists: [],
  texts: [],
  schemas: [],
} as const;

function outline({name, before, after}: Pair) {
  return {
    name,
    title: (after ?? before)?.title ?? name,
    status: presence({before, after}, false),
    price: {before: before?.price, after: after?.price},
    as_of: {before: before?.as_of, after: after?.as_of},
  };
}

async function reviewProduct(pair: Pair, base: State, head: State, limit: number): Promise<ProductReview> {
  const was = pair.before && (await readDocuments(base, pair.name));
  const is = pair.after && (await readDocuments(head, pair.name));
  return {...outline(pair), ...NOTHING, ...figures(pair, was, is), ...(was && is ? between(pair, was, is, limit) : {})};
}

/** The figures of a product; all of them where it is new or gone. */
function figures({before, after}: Pair, was: Documents | undefined, is: Documents | undefined) {
  const [old, now] = [
    was && before ? figuresOf(was, before.as_of) : new Map(),
    is && after ? figuresOf(is, after.as_of) : new Map(),
  ];
  const schemas = [was, is].flatMap(documents => (documents ? Object.values(documents.schemas) : []));
  const changes = figureChanges(old, now, schemas);
  return {figures: changes, figures_unchanged: now.size - changes.filter(change => change.after !== undefined).length};
}

/** Everything else that differs between two states of one product. */
function between(pair: Pair, was: Documents, is: Documents, limit: number) {
  const names = new Set([was, is].flatMap(({history}) => history.flatMap(point => [...figuresOfPoint(point).keys()])));
  const {texts, lists} = wordChanges(was, is, path => names.has(path), limit);
  return {
    ...historyChanges(pair, was, is),
    goods: goodsChange(was.paid, is.paid, limit),
    lists,
    texts: [...kindChange(pair), ...texts],
    schemas: [
      ...schemaChanges('sample', was.schemas.sample, is.schemas.sample),
      ...schemaChanges('paid', was.schemas.paid, is.schemas.paid),
    ],
  };
}

function kindChange({before, after}: Pair): TextChange[] {
  return before?.kind === after?.kind ? [] : [{path: 'kind of product', before: before?.kind, after: after?.kind}];
}
