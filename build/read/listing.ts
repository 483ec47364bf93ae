import {hash} from 'node:crypto';
import {readdirSync} from 'node:fs';
import {join, relative} from 'node:path';
import {InputError, refuse, type Fault} from '../../shared/fault.ts';
import {forbiddenAmong} from '../../shared/file-names.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {SOURCES} from '../../shared/paths.ts';
import {LEADS_OUT, realPathInside, systemFault} from '../disk/plain-file.ts';

const PRODUCTS = 'data/products';

/** Returns the name of the source group over these sources. */
export function groupName(sources: readonly string[]): string {
  return sources.toSorted().join('+');
}

/** Returns a digest of the listing below the folders of sources, links included, and of the folders' real paths. */
export function listingOf(root: string, sources: readonly string[]): string {
  const listings = sources.toSorted().map(source => {
    const folder = join(root, SOURCES, source);
    const home = ifReadable(() => realPathInside(root, `${SOURCES}/${source}`));
    // A folder outside the root, which may be a whole disk, is not listed. It is refused when it is read.
    const read = () => (home === undefined ? [] : readdirSync(folder, {withFileTypes: true, recursive: true}));
    const entries = ifReadable(read) ?? [];
    const kinds = entries.map(entry =>
      [relative(folder, entry.parentPath), entry.name, entry.isDirectory(), entry.isSymbolicLink()].join('/'),
    );
    return [source, home, kinds.sort()];
  });
  return hash('sha256', JSON.stringify(listings));
}

/** Returns the product files, sorted. Throws `InputError` if none exists, or if a name of a product or source is not allowed. */
export function productFiles(root: string): string[] {
  if (ifReadable(() => realPathInside(root, PRODUCTS) ?? LEADS_OUT) === LEADS_OUT)
    throw new InputError({code: 'FZ210', file: PRODUCTS, rule: LEADS_OUT});
  const names = visibleIn(root, PRODUCTS).sort();
  refuse([...entryNameFaults(PRODUCTS, names), ...entryNameFaults(SOURCES, visibleIn(root, SOURCES).sort())]);
  // Folders and dangling links are included, and refused when they are read.
  const files = names.filter(name => /^.+\.json$/s.test(name)).map(name => `${PRODUCTS}/${name}`);
  if (files.length > 0) return files;
  const fix = 'Describe one in a .json file.';
  throw new InputError({code: 'FZ201', file: PRODUCTS, rule: 'does not contain a product', fix});
}

/** Returns the errors of names in a folder that some file systems do not allow, or treat as equal. */
export function entryNameFaults(folder: string, names: readonly string[]): Fault[] {
  return forbiddenAmong(names).map(([name, rule]) => ({code: 'FZ205', file: `${folder}/${name}`, rule}));
}

/**
 * Returns the names of the visible files and folders in a folder below the root. Empty if it does not exist. Throws `InputError` if it
 * cannot be read.
 */
export function visibleIn(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder)).filter(name => !name.startsWith('.'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw systemFault(root, cause, 'read');
  }
}
