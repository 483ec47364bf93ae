import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {ifReadable} from '../disk/if-readable.ts';

/** The files of products, sorted. Throws `InputError` where there is none. */
export function productFiles(root: string): string[] {
  // Folders and links that lead nowhere are found as well, and refused when they are read.
  const names = ifReadable(() => readdirSync(join(root, 'data/products'))) ?? [];
  const files = names.filter(name => /^[^.].*\.json$/s.test(name)).map(name => `data/products/${name}`);
  if (files.length > 0) return files.sort();
  throw new InputError({file: 'data/products', rule: 'holds no product: describe one in a .json file'});
}
