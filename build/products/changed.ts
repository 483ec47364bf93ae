import {refuse} from '../../shared/fault.ts';
import {knownInput, type KnownFile} from '../disk/known-file.ts';
import type {Kind, Product} from '../kinds/kind.ts';
import {loadFolder} from '../load-folder.ts';
import {doubledNames} from './names.ts';
import {readProducts} from './products.ts';
import {bundlesOf, unknownNameFaults, unitName, unitsOf, type Bundle, type Unit} from './units.ts';

// Separate from units.ts, so that a build in which nothing changed does not load these modules.

/** The remembered part of a unit whose product files are unchanged. */
interface Known extends Pick<Unit, 'shared'> {
  readonly products: readonly Pick<Product, 'file' | 'name' | 'title' | 'namedBy'>[];
}

interface Changed<K extends Known> {
  /** The units over one source, then those over several, which need the checked rows of the first round. */
  readonly rounds: readonly (readonly Unit[])[];
  /** The bundles. They are composed in every build, after everything else. */
  readonly bundles: readonly Bundle[];
  /** The product files that were read, recorded before reading. */
  readonly files: readonly KnownFile[];
  readonly known: ReadonlyMap<string, K>;
}

/**
 * Reads the products that are not in `units`, and those of units that they join. Throws `InputError` with the errors of all files and for
 * duplicate names.
 * @param files all product files, from the root
 * @param units the remembered units, by name
 */
export async function readChanged<K extends Known>(
  root: string,
  files: readonly string[],
  units: ReadonlyMap<string, K>,
  moment: number,
): Promise<Changed<K>> {
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
