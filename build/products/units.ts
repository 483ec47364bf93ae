import {InputError, refuse, type Fault} from '../../shared/fault.ts';
import {knownInput, type KnownFile} from '../disk/known-file.ts';
import type {DocumentsKind, Kind, Product, TableRef} from '../kinds/kind.ts';
import {loadFolder} from '../load-folder.ts';
import type {Freeze} from '../read/freezes.ts';
import {unitName} from '../read/listing.ts';
import {doubledNames, readProducts} from './products.ts';

/** A unit of composing: the products that read the same set of sources, usually one source. */
export interface Unit {
  readonly sources: readonly string[];
  readonly products: readonly Product[];
  /** True if products of other units also read freezes of its source, so that all of them must be checked. */
  readonly shared: boolean;
}

export function kindOf({kind: name}: Product, kinds: ReadonlyMap<string, Kind>): Kind {
  const kind = kinds.get(name);
  if (!kind) throw new Error(`no kind ${name}`);
  return kind;
}

/**
 * Groups products into units. Returns the units over one source, in the order of the products, and the units over several, which are
 * composed later because they need checked rows.
 */
export function unitsOf(products: readonly Product[], kinds: ReadonlyMap<string, Kind>): readonly [Unit[], Unit[]] {
  const groups = new Map<string, {sources: readonly string[]; products: Product[]; shared: boolean}>();
  const group = (sources: readonly string[]) => {
    const name = unitName(sources);
    const found = groups.get(name) ?? {sources, products: [], shared: false};
    groups.set(name, found);
    return found;
  };
  for (const product of products) {
    const sources = [...new Set(tablesOf(product, kindOf(product, kinds)).map(({source}) => source))];
    if (sources.length === 0) continue; // a bundle
    if (sources.length > 1) for (const source of sources) group([source]).shared = true;
    group(sources).products.push(product);
  }
  const units = [...groups.values()];
  return [units.filter(({sources}) => sources.length === 1), units.filter(({sources}) => sources.length > 1)];
}

/** A product that contains the documents of other products. */
export interface Bundle {
  readonly product: Product;
  readonly kind: DocumentsKind;
  readonly names: readonly string[];
}

/** Returns the bundles among the products. */
export function bundlesOf(products: readonly Product[], kinds: ReadonlyMap<string, Kind>): Bundle[] {
  return products.flatMap(product => {
    const kind = kindOf(product, kinds);
    return kind.reads === 'documents' ? [{product, kind, names: kind.holds(product)}] : [];
  });
}

/** Errors of names in bundles that are not the name of a product with a source. */
export function unknownNameFaults(bundles: readonly Bundle[], names: ReadonlySet<string>): Fault[] {
  const own = new Set(bundles.map(({product}) => product.name));
  return bundles.flatMap(({product: {file}, names: held}) =>
    held
      .filter(name => !names.has(name) || own.has(name))
      .map(value => {
        const rule = own.has(value) ? 'is a bundle: name the products in it instead' : 'is not the name of a product';
        return {code: 'FZ204', file, field: 'bundle', value, rule};
      }),
  );
}

/** The freezes of a product's tables at one time. */
export interface Moment {
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
 * Returns the times at which a product has a snapshot, oldest first; the last one is published. There is one for every `as_of` of every
 * source at which each table has a freeze; it uses the latest freeze of each. Throws `InputError` if a table lacks one at the published
 * time.
 */
export function momentsOf(product: Product, tables: readonly TableRef[], freezes: Freezes): Moment[] {
  const until = publishedTime(product, tables, freezes);
  const dates = tables.flatMap(({source}) => freezes.get(source) ?? []).map(({as_of}) => as_of);
  const moments = [...new Set(dates)]
    .sort()
    .filter(as_of => as_of <= until)
    .map(as_of => snapshotAt(as_of, tables, freezes));
  const complete = moments.filter(({freezes: found}) => found.size === tables.length);
  if (complete.at(-1)?.as_of === until) return complete;
  const missing = tables.find(({name}) => !moments.at(-1)?.freezes.has(name));
  const wanted = missing?.before ? 'two freezes' : 'a freeze';
  const rule = `needs ${wanted} of ${missing?.source ?? ''} up to ${until}`;
  throw new InputError({code: 'FZ111', file: product.file, field: 'table', value: missing?.name, rule});
}

function snapshotAt(as_of: string, tables: readonly TableRef[], freezes: Freezes): Moment {
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
  throw new InputError({
    code: 'FZ204',
    file,
    field: 'freeze',
    value: freeze,
    rule: `is not a freeze of ${source}: ${dates}`,
  });
}

/** The remembered part of a unit whose product files are unchanged. */
interface Known extends Pick<Unit, 'shared'> {
  readonly products: readonly Pick<Product, 'file' | 'name' | 'title' | 'namedBy'>[];
}

/**
 * Reads the products that are not in `units`, and those of units that they join. Throws `InputError` with the errors of all files and for
 * duplicate names.
 * @param files all product files, from the root
 * @param units the remembered units, by name
 * @returns the rounds of units to compose, first those over one source, then those over several, which need their checked rows; the bundles;
 * the product files, recorded before they were read; and the unchanged units
 */
export async function readChanged<K extends Known>(
  root: string,
  files: readonly string[],
  units: ReadonlyMap<string, K>,
  moment: number,
) {
  const kinds = await loadFolder<Kind>('kinds');
  const read: KnownFile[] = [];
  const productsIn = (paths: readonly string[]) => {
    for (const path of paths) read.push(knownInput(root, path, moment));
    return readProducts(root, paths, kinds);
  };
  const known = new Map(units);
  const unchanged = new Set([...units.values()].flatMap(({products}) => products.map(({file}) => file)));
  const products = await productsIn(files.filter(file => !unchanged.has(file)));
  const joined = unitsOf(products, kinds)
    .flat()
    .flatMap(unit => {
      const name = unitName(unit.sources);
      const former = known.get(name);
      if (!former || (unit.products.length === 0 && former.shared)) return [];
      known.delete(name);
      return former.products.map(({file}) => file);
    });
  products.push(...(await productsIn(joined)));
  const all = [...products, ...[...known.values()].flatMap(unit => unit.products)];
  refuse(doubledNames(all.sort((a, b) => (a.file < b.file ? -1 : 1))));
  products.sort((a, b) => (a.name < b.name ? -1 : 1));
  const bundles = bundlesOf(products, kinds);
  refuse(unknownNameFaults(bundles, new Set(all.map(({name}) => name))));
  return {rounds: unitsOf(products, kinds), bundles, files: read, known};
}
