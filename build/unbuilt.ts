import type {Catalogue, Entry} from '../shared/shapes.ts';
import type {Kind, Product} from './kinds/kind.ts';
import {loadFolder} from './load-folder.ts';
import {readProducts} from './products/products.ts';
import {kindOf, snapshotsOf, tablesOf} from './products/source-groups.ts';
import {freezesOf, type Freeze} from './read/freezes.ts';
import {located} from './read/json-file.ts';
import {productFiles} from './read/listing.ts';

/**
 * Compares the products and latest freezes in `data/` with the catalogue that was built from them. Reads no rows. Returns one sentence per
 * difference. Throws `InputError` if `data/` is invalid.
 */
export function unbuilt(root: string, catalogue: Catalogue): Promise<string[]> {
  return located(root, () => differencesIn(root, catalogue));
}

async function differencesIn(root: string, {products: entries}: Catalogue): Promise<string[]> {
  const kinds = await loadFolder<Kind>('kinds');
  const products = await readProducts(root, productFiles(root), kinds);
  const built = new Map(entries.map(entry => [entry.name, entry]));
  const freezes = new Map<string, readonly Freeze[]>();
  const faults: string[] = [];
  for (const product of products) {
    const {file, name} = product;
    const tables = tablesOf(product, kindOf(product, kinds));
    for (const {source} of tables) freezes.set(source, freezes.get(source) ?? (await freezesOf(root, source)));
    // A bundle does not read tables. The products in it are compared separately.
    const as_of = tables.length === 0 ? '' : (snapshotsOf(product, tables, freezes).at(-1)?.as_of ?? '');
    const was = built.get(name);
    built.delete(name);
    if (was === undefined)
      faults.push(`${file} is newer than the built site, which does not contain the product ${name}: run frozen build`);
    else faults.push(...differences(product, as_of, was).map(what => `${file} has ${what}: run frozen build`));
  }
  return [
    ...faults,
    ...[...built.keys()].map(name => `no file of data/products describes ${name}, which was built: run frozen build`),
  ];
}

function differences({title, kind, price}: Product, as_of: string, was: Entry): string[] {
  const members = [
    ['title', title, was.title],
    ['kind', kind, was.kind],
    ['price', price.text, was.price],
  ] as const;
  const order = was.as_of < as_of ? 'newer' : 'older';
  return [
    ...members
      .filter(([, is, built]) => is !== built)
      .map(([member, is, built]) => `the ${member} "${is}", and "${built}" was built`),
    ...(as_of === '' || as_of === was.as_of
      ? []
      : [`a snapshot of ${as_of}, ${order} than that of ${was.as_of}, which was built`]),
  ];
}
