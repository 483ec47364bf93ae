import {join} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {SITE_FILE} from '../../shared/paths.ts';
import type {Catalogue, Entry} from '../../shared/shapes.ts';
import type {Kind, Product} from '../../build/kinds/kind.ts';
import {kindOf, momentsOf, tablesOf} from '../../build/products/units.ts';
import {loadFolder} from '../../build/load-folder.ts';
import {readProducts} from '../../build/products/products.ts';
import {freezesOf, type Freeze} from '../../build/read/freezes.ts';
import {located} from '../../build/read/json-file.ts';
import {productFiles} from '../../build/read/listing.ts';
import {textIfThere} from './bounded-file.ts';
import {MAX_BYTES} from './bounds.ts';
import {unchecked, verdict, type Check} from './check.ts';

const WHAT = 'built';

/** Whether what `data/`, where that is beside `public/`, says of products was built, and of their latest freezes. No row is read. */
export async function builtChecks(root: string, catalogue: Catalogue): Promise<Check[]> {
  if ((await textIfThere(join(root, SITE_FILE), MAX_BYTES)) === undefined) return [];
  try {
    const faults = await located(root, () => unbuilt(root, catalogue));
    return verdict(
      WHAT,
      'data/',
      faults,
      'every product is built, with its title, kind and price, and of its latest freeze',
    );
  } catch (error) {
    if (error instanceof InputError) return [unchecked(WHAT, 'data/', error.message)];
    throw error;
  }
}

async function unbuilt(root: string, {products: entries}: Catalogue): Promise<string[]> {
  const kinds = await loadFolder<Kind>('kinds');
  const products = await readProducts(root, productFiles(root), kinds);
  const built = new Map(entries.map(entry => [entry.name, entry]));
  const freezes = new Map<string, readonly Freeze[]>();
  const faults: string[] = [];
  for (const product of products) {
    const {file, name} = product;
    const tables = tablesOf(product, kindOf(product, kinds));
    for (const {source} of tables) freezes.set(source, freezes.get(source) ?? (await freezesOf(root, source)));
    // A bundle has no tables. The products that it holds are checked by themselves.
    const as_of = tables.length === 0 ? '' : (momentsOf(product, tables, freezes).at(-1)?.as_of ?? '');
    const was = built.get(name);
    built.delete(name);
    if (was === undefined)
      faults.push(`${file} is newer than what was built, which has no product ${name}: run frozen build`);
    else faults.push(...differences(product, as_of, was).map(what => `${file} has ${what}: run frozen build`));
  }
  return [
    ...faults,
    ...[...built.keys()].map(name => `no file of data/products describes ${name}, which was built: run frozen build`),
  ];
}

/** How a product differs from the one that was built. */
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
