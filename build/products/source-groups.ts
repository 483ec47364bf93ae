import {InputError, refuse, type Fault} from '../../shared/fault.ts';
import {knownInput, type KnownFile} from '../disk/known-file.ts';
import type {DocumentsKind, Kind, Product, TableRef} from '../kinds/kind.ts';
import {loadFolder} from '../load-folder.ts';
import type {Freeze} from '../read/freezes.ts';
import {groupName} from '../read/listing.ts';
import {doubledNames, readProducts, type Named} from './products.ts';

/** The products that read the same set of sources, usually one source. They are composed together. */
export interface SourceGroup {
  readonly sources: readonly string[];
  readonly products: readonly Product[];
  /** True if products of other source groups also read its source, so that all freezes of the source must be checked. */
  readonly shared: boolean;
}

/** Returns the kind of a product that was checked before. */
export function kindOf({kind: name}: Product, kinds: ReadonlyMap<string, Kind>): Kind {
  const kind = kinds.get(name);
  if (!kind) throw new Error(`no kind ${name}`);
  return kind;
}

/** Groups products by their sources. Returns the groups over one source, and those over several, which need checked rows. */
function sourceGroupsOf(
  products: readonly Product[],
  kinds: ReadonlyMap<string, Kind>,
): readonly [SourceGroup[], SourceGroup[]] {
  const byName = new Map<string, {sources: readonly string[]; products: Product[]; shared: boolean}>();
  const group = (sources: readonly string[]) => {
    const name = groupName(sources);
    const found = byName.get(name) ?? {sources, products: [], shared: false};
    byName.set(name, found);
    return found;
  };
  for (const product of products) {
    const sources = [...new Set(tablesOf(product, kindOf(product, kinds)).map(({source}) => source))];
    if (sources.length === 0) continue; // a bundle
    if (sources.length > 1) for (const source of sources) group([source]).shared = true;
    group(sources).products.push(product);
  }
  const groups = [...byName.values()];
  return [groups.filter(({sources}) => sources.length === 1), groups.filter(({sources}) => sources.length > 1)];
}

/** A product that contains the documents of other products. */
export interface Bundle {
  readonly product: Product;
  readonly kind: DocumentsKind;
  readonly names: readonly string[];
}

/** Errors of names in bundles that are not the name of a product with a source. */
function unknownNameFaults(bundles: readonly Bundle[], names: ReadonlySet<string>): Fault[] {
  const own = new Set(bundles.map(({product}) => product.name));
  return bundles.flatMap(({product: {file}, names: bundled}) =>
    bundled
      .filter(name => !names.has(name) || own.has(name))
      .map(value => {
        const at = {code: 'FZ204', file, field: 'bundle', value} as const;
        return own.has(value)
          ? {...at, rule: 'is a bundle', fix: 'Name the products in it instead.'}
          : {...at, rule: 'is not the name of a product'};
      }),
  );
}

/** The freezes of a product's tables at one time. */
export interface Snapshot {
  readonly as_of: string;
  /** The freeze of each table, by the table's name. The main table comes first. */
  readonly freezes: ReadonlyMap<string, Freeze>;
}

/** Freezes by source, oldest first. */
export type Freezes = ReadonlyMap<string, readonly Freeze[]>;

/** The tables that a product reads, the main one first. */
export function tablesOf(product: Product, kind: Kind): readonly TableRef[] {
  return kind.tables?.(product) ?? [{name: 'rows', source: product.source ?? '', before: false}];
}

/**
 * Returns the snapshots of a product, oldest first; the last one is published. Each `as_of` of one of its sources is a snapshot if every
 * table has a freeze up to that time. The snapshot uses the latest such freeze of each table. Throws `InputError` if a table lacks a freeze
 * for the published snapshot.
 */
export function snapshotsOf(product: Product, tables: readonly TableRef[], freezes: Freezes): Snapshot[] {
  const until = publishedTime(product, tables, freezes);
  const dates = tables.flatMap(({source}) => freezes.get(source) ?? []).map(({as_of}) => as_of);
  const snapshots = [...new Set(dates)]
    .sort()
    .filter(as_of => as_of <= until)
    .map(as_of => snapshotAt(as_of, tables, freezes));
  const complete = snapshots.filter(({freezes: found}) => found.size === tables.length);
  if (complete.at(-1)?.as_of === until) return complete;
  const missing = tables.find(({name}) => !snapshots.at(-1)?.freezes.has(name));
  const wanted = missing?.before ? 'two freezes' : 'a freeze';
  const rule = `needs ${wanted} of ${missing?.source ?? ''} up to ${until}`;
  throw new InputError({code: 'FZ111', file: product.file, field: 'table', value: missing?.name, rule});
}

function snapshotAt(as_of: string, tables: readonly TableRef[], freezes: Freezes): Snapshot {
  const found = tables.flatMap(({name, source, before}) => {
    const freeze = (freezes.get(source) ?? []).filter(candidate => candidate.as_of <= as_of).at(before ? -2 : -1);
    return freeze ? [[name, freeze] as const] : [];
  });
  return {as_of, freezes: new Map(found)};
}

/** The `as_of` of the pinned freeze of the main table, or else of the latest freeze of all tables. */
function publishedTime({file, freeze}: Product, tables: readonly TableRef[], freezes: Freezes): string {
  const latest = tables.flatMap(({source}) => freezes.get(source)?.at(-1)?.as_of ?? []).sort();
  if (freeze === undefined) return latest.at(-1) ?? '';
  const source = tables[0]?.source ?? '';
  const main = freezes.get(source) ?? [];
  const pinned = main.find(({date}) => date === freeze);
  if (pinned) return pinned.as_of;
  const dates = main.map(({date}) => date).join(', ');
  const rule = `is not a freeze of ${source}: ${dates}`;
  throw new InputError({code: 'FZ204', file, field: 'freeze', value: freeze, rule});
}

/**
 * Reads the products that are not in `groups`, and those of groups that they join. Throws `InputError` with the errors of all files and for
 * duplicate names.
 * @param files all product files, from the root
 * @param groups the cached source groups, by name
 * @returns the rounds of source groups to compose, first those over one source, then those over several, which need their checked rows; the
 * bundles; the product files, recorded before they were read; and the unchanged source groups
 */
export async function readChanged<K extends Pick<SourceGroup, 'shared'> & {readonly products: readonly Named[]}>(
  root: string,
  files: readonly string[],
  groups: ReadonlyMap<string, K>,
) {
  const kinds = await loadFolder<Kind>('kinds');
  const read: KnownFile[] = [];
  const productsIn = (paths: readonly string[]) => {
    for (const path of paths) read.push(knownInput(root, path));
    return readProducts(root, paths, kinds);
  };
  const known = new Map(groups);
  const unchanged = new Set([...groups.values()].flatMap(({products}) => products.map(({file}) => file)));
  const products = await productsIn(files.filter(file => !unchanged.has(file)));
  const joined = sourceGroupsOf(products, kinds)
    .flat()
    .flatMap(group => {
      const name = groupName(group.sources);
      const previous = known.get(name);
      if (!previous || (group.products.length === 0 && previous.shared)) return [];
      known.delete(name);
      return previous.products.map(({file}) => file);
    });
  products.push(...(await productsIn(joined)));
  const all = [...products, ...[...known.values()].flatMap(group => group.products)];
  refuse(doubledNames(all.sort((a, b) => (a.file < b.file ? -1 : 1))));
  products.sort((a, b) => (a.name < b.name ? -1 : 1));
  const bundles = products.flatMap(product => {
    const kind = kindOf(product, kinds);
    return kind.reads === 'documents' ? [{product, kind, names: kind.holds(product)}] : [];
  });
  refuse(unknownNameFaults(bundles, new Set(all.map(({name}) => name))));
  return {rounds: sourceGroupsOf(products, kinds), bundles, files: read, known};
}
