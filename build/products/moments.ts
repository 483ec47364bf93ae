import {InputError, mapAll} from '../../shared/fault.ts';
import {once} from '../once.ts';
import {readFreezes, type Freeze} from '../read/freezes.ts';
import type {Kind, Product, TableRef} from '../kinds/kind.ts';

/** The frozen tables of a product at one moment. */
export interface Moment {
  readonly as_of: string;
  /** The freeze of each table, by the table's name; the first is the main one. */
  readonly freezes: ReadonlyMap<string, Freeze>;
}

/** A product, its kind, and the moments it has a snapshot at: oldest first, the last is published. */
export interface PlannedProduct {
  readonly product: Product;
  readonly kind: Kind;
  readonly moments: readonly Moment[];
}

/** Plans the snapshots of every product. Throws `InputError` with the faults of all sources and products. */
export async function planSnapshots(
  root: string,
  products: readonly Product[],
  kinds: ReadonlyMap<string, Kind>,
): Promise<PlannedProduct[]> {
  const wanted = products.map(product => ({product, kind: kindOf(product, kinds)}));
  const tables = wanted.map(({product, kind}) => ({
    product,
    kind,
    tables: kind.tables?.(product) ?? mainTable(product),
  }));
  const sources = [...new Set(tables.flatMap(one => one.tables.map(({source}) => source)))];
  const freezes = new Map(await mapAll(sources, async source => [source, await readFreezes(root, source)] as const));
  const known = new Map<string, Moment[]>();
  return mapAll(tables, ({product, kind, tables: refs}) => ({
    product,
    kind,
    // Products over the same tables share them.
    moments: once(known, JSON.stringify([refs, product.freeze]), () => momentsOf(product, refs, freezes)),
  }));
}

/** The freezes of all moments of a product. */
export function plannedFreezes({moments}: Pick<PlannedProduct, 'moments'>): ReadonlySet<Freeze> {
  return new Set(moments.flatMap(({freezes}) => [...freezes.values()]));
}

function kindOf(product: Product, kinds: ReadonlyMap<string, Kind>): Kind {
  const kind = kinds.get(product.kind);
  if (!kind) throw new Error(`no kind ${product.kind}`);
  return kind;
}

function mainTable({source = ''}: Product): TableRef[] {
  return [{name: 'rows', source, before: false}];
}

type Freezes = ReadonlyMap<string, readonly Freeze[]>;

/** One moment for every `as_of` of every source: each table's latest freeze then. Moments that lack a table are left out. */
function momentsOf(product: Product, tables: readonly TableRef[], freezes: Freezes): Moment[] {
  const until = lastMoment(product, tables, freezes);
  const dates = tables.flatMap(({source}) => freezes.get(source) ?? []).map(({as_of}) => as_of);
  const moments = [...new Set(dates)]
    .sort()
    .filter(as_of => as_of <= until)
    .map(as_of => momentAt(as_of, tables, freezes));
  const complete = moments.filter(({freezes: found}) => found.size === tables.length);
  if (complete.at(-1)?.as_of === until) return complete;
  const missing = tables.find(({name}) => !moments.at(-1)?.freezes.has(name));
  const wanted = missing?.before ? 'two freezes' : 'a freeze';
  throw new InputError({
    file: product.file,
    field: 'table',
    value: missing?.name,
    rule: `needs ${wanted} of ${missing?.source ?? ''} up to ${until}`,
  });
}

function momentAt(as_of: string, tables: readonly TableRef[], freezes: Freezes): Moment {
  const found = tables.flatMap(({name, source, before}) => {
    const freeze = (freezes.get(source) ?? []).filter(candidate => candidate.as_of <= as_of).at(before ? -2 : -1);
    return freeze ? [[name, freeze] as const] : [];
  });
  return {as_of, freezes: new Map(found)};
}

/** The `as_of` of the freeze of the main table that a product pins, else of the latest of all its tables. */
function lastMoment(product: Product, tables: readonly TableRef[], freezes: Freezes): string {
  const main = freezes.get(tables[0]?.source ?? '') ?? [];
  if (product.freeze === undefined)
    return (
      tables
        .flatMap(({source}) => freezes.get(source)?.at(-1)?.as_of ?? [])
        .sort()
        .at(-1) ?? ''
    );
  const pinned = main.find(({date}) => date === product.freeze);
  if (pinned) return pinned.as_of;
  const dates = main.map(({date}) => date).join(', ');
  throw new InputError({
    file: product.file,
    field: 'freeze',
    value: product.freeze,
    rule: `is not a freeze of ${tables[0]?.source ?? ''}: ${dates}`,
  });
}
