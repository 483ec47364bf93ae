import type {Kind, Product, DocumentsKind} from '../kinds/kind.ts';
import {tablesOf} from './moments.ts';
import type {Fault} from '../../shared/fault.ts';

/** What is composed in one go: the products that read the same sources, of which most read one. */
export interface Unit {
  readonly sources: readonly string[];
  readonly products: readonly Product[];
  /** Whether products of other units read freezes of its source, so that all of them must be checked. */
  readonly shared: boolean;
}

/** The sources that a product reads, each once, in the order of its tables. */
function sourcesOf(product: Product, kinds: ReadonlyMap<string, Kind>): string[] {
  return [...new Set(tablesOf(product, kindOf(product, kinds)).map(({source}) => source))];
}

export function kindOf({kind: name}: Product, kinds: ReadonlyMap<string, Kind>): Kind {
  const kind = kinds.get(name);
  if (!kind) throw new Error(`no kind ${name}`);
  return kind;
}

/** The name of the unit of products that read these sources. */
export function unitName(sources: readonly string[]): string {
  return sources.toSorted().join('+');
}

/**
 * One unit for each source that products read, in the order in which they do, then one for each set of several sources: the rows of those
 * have been checked by then.
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
    const sources = sourcesOf(product, kinds);
    if (sources.length === 0) continue; // it holds documents of others
    if (sources.length > 1) for (const source of sources) group([source]).shared = true;
    group(sources).products.push(product);
  }
  const units = [...groups.values()];
  return [units.filter(({sources}) => sources.length === 1), units.filter(({sources}) => sources.length > 1)];
}

/** A product that holds documents of others. */
export interface Bundle {
  readonly product: Product;
  readonly kind: DocumentsKind;
  /** The names of the products whose documents it holds. */
  readonly names: readonly string[];
}

/** The products that hold documents of others. */
export function bundlesOf(products: readonly Product[], kinds: ReadonlyMap<string, Kind>): Bundle[] {
  return products.flatMap(product => {
    const kind = kindOf(product, kinds);
    return kind.reads === 'documents' ? [{product, kind, names: kind.holds(product)}] : [];
  });
}

/** The names in bundles that no product over a source has. */
export function strangerFaults(bundles: readonly Bundle[], names: ReadonlySet<string>): Fault[] {
  const own = new Set(bundles.map(({product}) => product.name));
  return bundles.flatMap(({product: {file}, names: held}) =>
    held
      .filter(name => !names.has(name) || own.has(name))
      .map(value => {
        const rule = own.has(value) ? 'is a bundle: name what it holds' : 'is not the name of a product';
        return {file, field: 'bundle', value, rule};
      }),
  );
}
