import type {Kind, Product} from '../kinds/kind.ts';
import {tablesOf} from './moments.ts';

/** What is composed in one go: the products that read the same sources, of which most read one. */
export interface Unit {
  readonly sources: readonly string[];
  readonly products: readonly Product[];
  /** Whether products of other units read freezes of its source, so that all of them must be checked. */
  readonly shared: boolean;
}

/** The sources that a product reads, each once, in the order of its tables. */
export function sourcesOf(product: Product, kinds: ReadonlyMap<string, Kind>): string[] {
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
