import {refuse} from '../../shared/fault.ts';
import {knownInput, type KnownFile} from '../disk/known-file.ts';
import type {Kind, Product} from '../kinds/kind.ts';
import {loadFolder} from '../load-folder.ts';
import {doubledNames} from './names.ts';
import {readProducts} from './products.ts';
import {bundlesOf, strangerFaults, unitName, unitsOf, type Bundle, type Unit} from './units.ts';

// Not in units.ts: a build in which nothing changed loads that file, and none of these.

/** What is known of a unit: none of its products' files has changed. */
interface Known extends Pick<Unit, 'shared'> {
  readonly products: readonly Pick<Product, 'file' | 'name' | 'title' | 'namedBy'>[];
}

/** What must be composed, and what need not. */
interface Changed<K extends Known> {
  /** One after the other: the later units stand on sources that the earlier ones read. */
  readonly rounds: readonly (readonly Unit[])[];
  /** The products made of documents of others. They are composed last, whatever has changed. */
  readonly bundles: readonly Bundle[];
  /** The files of their products, as they were before they were read. */
  readonly files: readonly KnownFile[];
  /** The other units, by name. */
  readonly known: ReadonlyMap<string, K>;
}

/**
 * Reads the products of which nothing is known, and those of units that one of them joins. Throws `InputError` with the faults of all
 * files, and for names that are taken twice.
 *
 * @param files of all products, from the root
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
  refuse(strangerFaults(bundles, new Set(all.map(({name}) => name))));
  return {rounds: unitsOf(products, kinds), bundles, files: read, known};
}
