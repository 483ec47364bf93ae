import {join} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {SITE_FILE} from '../../shared/paths.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import type {Kind} from '../../build/kinds/kind.ts';
import {kindOf} from '../../build/products/units.ts';
import {loadFolder} from '../../build/load-folder.ts';
import {momentsOf, tablesOf} from '../../build/products/moments.ts';
import {readProducts} from '../../build/products/products.ts';
import {freezesOf, type Freeze} from '../../build/read/freezes.ts';
import {located} from '../../build/read/json-file.ts';
import {productFiles} from '../../build/read/listing.ts';
import {textIfThere} from './bounded-file.ts';
import {MAX_BYTES} from './bounds.ts';
import {unchecked, verdict, type Check} from './check.ts';

const WHAT = 'built';

/** Whether everything in `data/`, where that is beside `public/`, was built: its products, and their latest freezes. No row is read. */
export async function builtChecks(root: string, catalogue: Catalogue): Promise<Check[]> {
  if ((await textIfThere(join(root, SITE_FILE), MAX_BYTES)) === undefined) return [];
  try {
    const faults = await located(root, () => unbuilt(root, catalogue));
    return verdict(WHAT, 'data/', faults, 'every product is built, and of its latest freeze');
  } catch (error) {
    if (error instanceof InputError) return [unchecked(WHAT, 'data/', error.message)];
    throw error;
  }
}

async function unbuilt(root: string, {products: entries}: Catalogue): Promise<string[]> {
  const kinds = await loadFolder<Kind>('kinds');
  const products = await readProducts(root, productFiles(root), kinds);
  const built = new Map(entries.map(({name, as_of}) => [name, as_of]));
  const freezes = new Map<string, readonly Freeze[]>();
  const faults: string[] = [];
  for (const product of products) {
    const {file, name} = product;
    const tables = tablesOf(product, kindOf(product, kinds));
    for (const {source} of tables) freezes.set(source, freezes.get(source) ?? (await freezesOf(root, source)));
    // A bundle is as new as what it holds, of which the same is said.
    const as_of = tables.length === 0 ? '' : (momentsOf(product, tables, freezes).at(-1)?.as_of ?? '');
    const was = built.get(name);
    built.delete(name);
    if (was === undefined)
      faults.push(`${file} is newer than what was built, which has no product ${name}: run frozen build`);
    else if (was < as_of)
      faults.push(`${file} has a snapshot of ${as_of}, newer than that of ${was}, which was built: run frozen build`);
  }
  return [
    ...faults,
    ...[...built.keys()].map(name => `no file of data/products describes ${name}, which was built: run frozen build`),
  ];
}
