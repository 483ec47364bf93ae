import {hash} from 'node:crypto';
import {readdirSync, type Dirent} from 'node:fs';
import {join, relative} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {LEADS_OUT, realPathInside} from '../disk/plain-file.ts';

const PRODUCTS = 'data/products';

/** A digest of everything that lies below the folders of sources, links among it, and of where the folders are. */
export function listingOf(root: string, sources: readonly string[]): string {
  const listings = sources.toSorted().map(source => {
    const folder = join(root, 'data/sources', source);
    const home = ifReadable(() => realPathInside(root, `data/sources/${source}`));
    // What lies elsewhere, which may be a whole disk, is refused when it is read.
    const entries = home === undefined ? [] : filesBelow(folder);
    const kinds = entries.map(entry =>
      [relative(folder, entry.parentPath), entry.name, entry.isDirectory(), entry.isSymbolicLink()].join('/'),
    );
    return [source, home, kinds.sort()];
  });
  return hash('sha256', JSON.stringify(listings));
}

/** The files of products, sorted. Throws `InputError` where there is none, or where they are not below the root. */
export function productFiles(root: string): string[] {
  if (ifReadable(() => realPathInside(root, PRODUCTS) ?? LEADS_OUT) === LEADS_OUT)
    throw new InputError({file: PRODUCTS, rule: LEADS_OUT});
  // Folders and links that lead nowhere are found as well, and refused when they are read.
  const names = ifReadable(() => readdirSync(join(root, PRODUCTS))) ?? [];
  const files = names.filter(name => /^[^.].*\.json$/s.test(name)).map(name => `${PRODUCTS}/${name}`);
  if (files.length > 0) return files.sort();
  throw new InputError({file: PRODUCTS, rule: 'holds no product: describe one in a .json file'});
}

function filesBelow(folder: string): Dirent[] {
  return ifReadable(() => readdirSync(folder, {withFileTypes: true, recursive: true})) ?? [];
}
