import {hash} from 'node:crypto';
import {readdirSync, type Dirent} from 'node:fs';
import {join, relative} from 'node:path';
import {InputError, refuse, type Fault} from '../../shared/fault.ts';
import {isDevice, RESERVED, twinOf, twinsAmong} from '../../shared/file-names.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {LEADS_OUT, realPathInside} from '../disk/plain-file.ts';

const PRODUCTS = 'data/products';
const SOURCES = 'data/sources';

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

/**
 * The files of products, sorted. Throws `InputError` where there is none, where they are not below the root, and where names of products
 * or sources cannot stand beside each other on every disk.
 */
export function productFiles(root: string): string[] {
  if (ifReadable(() => realPathInside(root, PRODUCTS) ?? LEADS_OUT) === LEADS_OUT)
    throw new InputError({file: PRODUCTS, rule: LEADS_OUT});
  const names = visibleIn(root, PRODUCTS).sort();
  refuse([...entryNameFaults(PRODUCTS, names), ...entryNameFaults(SOURCES, visibleIn(root, SOURCES).sort())]);
  // Folders and links that lead nowhere are found as well, and refused when they are read.
  const files = names.filter(name => /^.+\.json$/s.test(name)).map(name => `${PRODUCTS}/${name}`);
  if (files.length > 0) return files;
  throw new InputError({file: PRODUCTS, rule: 'holds no product: describe one in a .json file'});
}

function filesBelow(folder: string): Dirent[] {
  return ifReadable(() => readdirSync(folder, {withFileTypes: true, recursive: true})) ?? [];
}

/** The faults of names in a folder that some disks cannot hold, or cannot hold beside each other. */
function entryNameFaults(folder: string, names: readonly string[]): Fault[] {
  return [
    ...names.filter(isDevice).map(name => ({file: `${folder}/${name}`, rule: RESERVED})),
    ...twinsAmong(names).map(([name, earlier]) => ({file: `${folder}/${name}`, rule: twinOf(earlier)})),
  ];
}

/** What is wrong with a source that is to be made beside those that there are. */
export function newSourceFaults(root: string, source: string): Fault[] {
  const others = visibleIn(root, SOURCES)
    .filter(name => name !== source)
    .sort();
  return entryNameFaults(SOURCES, [source]).concat(
    twinsAmong([source, ...others])
      .filter(([, earlier]) => earlier === source)
      .map(([name]) => ({file: `${SOURCES}/${source}`, rule: twinOf(name)})),
  );
}

/** The names of the visible files and folders in a folder below the root. Empty if it cannot be read. */
export function visibleIn(root: string, folder: string): string[] {
  const names = ifReadable(() => readdirSync(join(root, folder))) ?? [];
  return names.filter(name => !name.startsWith('.'));
}
