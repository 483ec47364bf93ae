import {DOCUMENTS} from '../../build/documents/catalogue.ts';
import {sourcesIn} from '../../build/documents/invariants.ts';
import {withoutPart} from '../../build/documents/schemas.ts';
import type {Json} from '../../build/kinds/kind.ts';
import type {JsonSchema} from '../../build/read/validator.ts';
import {editionPath} from '../../shared/paths.ts';
import type {Entry} from '../../shared/shapes.ts';
import type {ComparedSite, Sites} from './state.ts';
import {differing, joined, type Joined} from './compare.ts';
import {fileOf, readDocuments, type Documents} from './documents.ts';
import {figureChanges, figuresOf, figuresOfPoint, valuesOfPoint} from './figures.ts';
import {rowsChange} from './rows.ts';
import {some, type ListChange, type ProductReview} from './report.ts';
import {schemaChanges, type SchemaChange} from './schema-changes.ts';
import {wordChanges} from './texts.ts';

/** Called with the number of compared products. */
export type OnProducts = (done: number, of: number) => void;

/** Compares all products of two revisions. Documents with the same digest in git are not read. */
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

/** The entry of a product in the catalogue. */
type Sold = ReturnType<typeof entriesOf> extends Map<string, infer E> ? E : never;
type Pair = Joined<Sold>;

function entriesOf({products}: ComparedSite['catalogue']) {
  return new Map(
    products.map(({name, title, kind, as_of, price, paid, editions = [], columns = []}) => [
      name,
      {title, kind, as_of, price, sha256: paid.sha256, editions, columns},
    ]),
  );
}

/** Returns the review of a product without the comparison of its documents. */
function outline({key: name, before, after, status}: Pair, sites: Sites): ProductReview {
  const [was, is] = [sites.before.state.ids, sites.after.state.ids];
  const files = DOCUMENTS.filter(document => document !== 'paid' || !sites.withheld).map(one => fileOf(one, name));
  const same = files.every(file => was.has(file) && was.get(file) === is.get(file));
  return {
    name,
    title: (after ?? before)?.title ?? name,
    status: status === 'unchanged' && !same ? 'changed' : status,
    kind: {before: before?.kind, after: after?.kind},
    sources: [],
    price: {before: before?.price, after: after?.price},
    as_of: {before: before?.as_of, after: after?.as_of},
    figures: [],
    figures_unchanged: 0,
    past: [],
    history: {added: [], removed: []},
    rows: undefined,
    tables: [],
    lists: [],
    texts: [],
    members: [],
    schemas: [],
  };
}

/** Compares the documents of a product: figures (all of them if it was added or removed) and everything else that differs. */
async function changesOf(
  {key: name, before, after}: Pair,
  {before: base, after: head, withheld}: Sites,
  limit: number,
) {
  const was = before && (await readDocuments(base.state, name, withheld));
  const is = after && (await readDocuments(head.state, name, withheld));
  const old = was ? figuresOf(was, before.as_of) : new Map<string, never>();
  const now = is ? figuresOf(is, after.as_of) : new Map<string, never>();
  const figures = figureChanges(old, now);
  const figures_unchanged = now.size - figures.filter(change => change.after !== undefined).length;
  const sources = sourcesIn(String((is ?? was)?.sample['note']));
  if (!was || !is) return {sources, figures, figures_unchanged};

  // The schema of a bundle contains addresses, whose change is reported for the whole site.
  const moved = (schema: JsonSchema) => withOrigin(schema, base.catalogue.base_url, head.catalogue.base_url);
  const names = new Set([...was.history, ...is.history].flatMap(point => [...figuresOfPoint(point).keys()]));
  const listed =
    before.kind === 'bundle' && after.kind === 'bundle' ? withoutContent : (documents: Documents) => documents;
  const {tables, lists, texts, members} = wordChanges(listed(was), listed(is), path => names.has(path), limit);
  return {
    sources,
    figures,
    figures_unchanged,
    ...historyChanges(was, is, before.as_of === after.as_of ? after.as_of : undefined),
    rows: rowsChange(was.paid, is.paid, limit),
    tables,
    lists: [...lists, ...editionChanges(name, before.editions, after.editions, limit)],
    texts,
    members: after.kind === 'bundle' && bundledIn(was) === bundledIn(is) ? [] : members,
    schemas: [
      ...schemaChanges('sample', was.sampleSchema, is.sampleSchema),
      ...withColumns(
        before,
        after,
        schemaChanges('paid', withoutPart(moved(was.paidSchema)), withoutPart(is.paidSchema)),
      ),
    ],
  };
}

/** The documents in a bundle, without their prices and addresses, which may change, and their content, which their own reviews compare. */
function bundledIn({sample}: Documents): string | undefined {
  return JSON.stringify(sample['documents'], ['name', 'as_of']);
}

/** Returns a bundle without the content of its documents, which their own reviews compare. Their digests remain. */
function withoutContent(bundle: Documents): Documents {
  const {documents} = bundle.paid;
  if (!Array.isArray(documents)) return bundle;
  const listed = (documents as Json[]).map(one =>
    Object.fromEntries(Object.entries(one).filter(([member]) => member !== 'document')),
  );
  return {...bundle, paid: {...bundle.paid, documents: listed}};
}

/** Returns a schema with the addresses of a site that has moved. */
function withOrigin(schema: JsonSchema, was: string, is: string): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(`${was}/`) ? is + value.slice(was.length) : value,
  ) as JsonSchema;
}

/** Adds the columns of Parquet files whose type changed although the JSON Schema did not. */
function withColumns(before: Sold, after: Sold, changes: readonly SchemaChange[]): SchemaChange[] {
  const isParquet = before.editions.some(({url}) => url.endsWith('.parquet'));
  const types = new Map((isParquet ? before.columns : []).map(({name, type}) => [name, type]));
  const retyped = after.columns.flatMap(({name, type}): SchemaChange[] => {
    const [path, was] = [`rows[].${name}`, types.get(name)];
    if (!was || was === type || changes.some(change => change.path === path)) return [];
    return [{document: 'paid', path, change: 'type-changed', before: was, after: type, breaking: true}];
  });
  return [...changes, ...retyped];
}

/** Returns the parts and formats that were added, removed or changed. */
function editionChanges(name: string, was: Editions, is: Editions, limit: number): ListChange[] {
  const {added, removed, changed} = differingEditions(name, was, is);
  const lists = [
    {path: 'editions', added, removed},
    {path: 'editions with other bytes', added: changed, removed: []},
  ];
  return lists
    .filter(({added, removed}) => added.length + removed.length > 0)
    .map(({path, added, removed}) => ({path, added: some(added, limit), removed: some(removed, limit)}));
}

/** Returns the paths of the parts and formats that differ. Another address of the whole site is reported once. */
export function differingEditions(name: string, was: Editions = [], is: Editions = []) {
  const byPath = (editions: Editions) => new Map(editions.map(one => [editionPath(name, one), one.sha256]));
  const changes = differing(byPath(was), byPath(is));
  const pathsOf = (wanted: string) => changes.filter(({status}) => status === wanted).map(({key}) => key);
  return {added: pathsOf('added'), removed: pathsOf('removed'), changed: pathsOf('changed')};
}

type Editions = NonNullable<Entry['editions']>;

/**
 * Compares histories: added and removed points, and points with changed figures.
 *
 * @param sold the `as_of` that both revisions sell, which is compared elsewhere
 */
function historyChanges(was: Documents, is: Documents, sold: string | undefined) {
  const byDate = ({history}: Documents) => new Map(history.map(point => [point.as_of, point]));
  const points = joined(byDate(was), byDate(is));
  const dates = (wanted: string) => points.filter(({status}) => status === wanted).map(({key}) => key);
  const past = points.map(({key: as_of, before, after}) => {
    const kept = before && after && as_of !== sold;
    return {as_of, figures: kept ? figureChanges(valuesOfPoint(before), valuesOfPoint(after)) : []};
  });
  return {
    past: past.filter(({figures}) => figures.length > 0),
    history: {added: dates('added'), removed: dates('removed')},
  };
}
