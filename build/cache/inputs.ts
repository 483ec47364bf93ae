import {hash} from 'node:crypto';
import {readdirSync} from 'node:fs';
import {join, relative, sep} from 'node:path';
import {ifReadable} from '../disk/if-readable.ts';
import {fileDigest} from '../disk/file-digest.ts';

/** The publisher's own files, which are small. The rows of a freeze are known by the digest in its `datapackage.json`. */
const DESCRIPTOR = /^data\/(site\.json|products\/.*\.json|sources\/.*\/datapackage\.json)$/s;

/** What follows from the files of a product alone, and from which sources there are. */
const OF_PRODUCTS = /^data\/(products\/|sources\/[^/]*\/?$)/;

/** Digests of what a build reads: the same where it would read the same. */
export interface InputDigests {
  /** SHA-256 over the names of everything below `data/` and the bytes of the files that describe it. */
  readonly all: string;
  /** The same of only the products, and the names of the sources. */
  readonly products: string;
}

/** Nothing where it cannot be told: `data/` cannot be read, or holds a link, a pipe or the like. */
export function digestsOfInputs(root: string): InputDigests | undefined {
  return ifReadable(() => {
    const entries = readdirSync(join(root, 'data'), {recursive: true, withFileTypes: true});
    if (entries.some(entry => !entry.isFile() && !entry.isDirectory())) return undefined;
    const names = entries.map(entry => {
      const path = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
      if (entry.isDirectory()) return `${path}/`;
      // No name has this character in it.
      return DESCRIPTOR.test(path) ? `${path}\0${fileDigest(join(root, path))}` : path;
    });
    names.sort();
    const digestOf = (some: readonly string[]) => hash('sha256', JSON.stringify(some));
    return {all: digestOf(names), products: digestOf(names.filter(name => OF_PRODUCTS.test(name)))};
  });
}
