import {hash} from 'node:crypto';
import {readdirSync, realpathSync} from 'node:fs';
import {join, relative} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {ifReadable} from '../../shared/if-readable.ts';

/** A digest of everything that lies below the folders of sources, links among it, and of where the folders are. */
export function listingOf(root: string, sources: readonly string[]): string {
  const listings = sources.toSorted().map(source => {
    const folder = join(root, 'data/sources', source);
    const entries = ifReadable(() => readdirSync(folder, {withFileTypes: true, recursive: true})) ?? [];
    const kinds = entries.map(entry =>
      [relative(folder, entry.parentPath), entry.name, entry.isDirectory(), entry.isSymbolicLink()].join('/'),
    );
    return [source, ifReadable(() => realpathSync(folder)), kinds.sort()];
  });
  return hash('sha256', JSON.stringify(listings));
}

/** The files of products, sorted. Throws `InputError` where there is none. */
export function productFiles(root: string): string[] {
  // Folders and links that lead nowhere are found as well, and refused when they are read.
  const names = ifReadable(() => readdirSync(join(root, 'data/products'))) ?? [];
  const files = names.filter(name => /^[^.].*\.json$/s.test(name)).map(name => `data/products/${name}`);
  if (files.length > 0) return files.sort();
  throw new InputError({file: 'data/products', rule: 'holds no product: describe one in a .json file'});
}
