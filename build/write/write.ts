import {existsSync, mkdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Tree} from '../compose/tree.ts';
import {systemFault} from '../system-fault.ts';
import {isUpToDate, type Changes} from './changes.ts';
import {withFoldersAbove} from './obstacles.ts';
import {JOURNAL, STAGING} from './owned.ts';

/** The folders that files are staged in, as they stand below the root. */
const STAGED = ['public', 'paywall'];

/**
 * Makes the files below the root be the tree. Everything is prepared in a staging folder first, so that a full disk changes nothing;
 * then files are renamed into place. A build killed at any moment is repaired by the next one, and at no moment does the catalogue
 * name a document that is missing or has other bytes: while documents change it names only those that stand.
 */
export function write(root: string, tree: Tree, changes: Changes): void {
  if (!isUpToDate(changes)) {
    const touched = [...changes.added, ...changes.changed].filter(path => path !== tree.catalogue);
    const folders = new Set([...touched, ...changes.removed, tree.catalogue].map(path => dirname(path)));
    try {
      prepare(root, tree, [...touched, tree.catalogue], folders, changes.removed);
      commit(root, tree, changes, touched, folders);
    } catch (cause) {
      throw systemFault(root, cause, 'written');
    }
  }
  rmSync(join(root, STAGING), {recursive: true, force: true});
}

/** Writes what will be renamed, and what is owned, beside the output; where that fails nothing is left but what a killed build owned. */
function prepare(
  root: string,
  tree: Tree,
  touched: readonly string[],
  folders: ReadonlySet<string>,
  removed: readonly string[],
): void {
  try {
    for (const folder of STAGED) rmSync(join(root, STAGING, folder), {recursive: true, force: true});
    mkdirSync(join(root, STAGING), {recursive: true});
    writeFileSync(join(root, `${JOURNAL}.new`), JSON.stringify([...removed, ...tree.files.keys()]));
    renameSync(join(root, `${JOURNAL}.new`), join(root, JOURNAL));
    for (const folder of folders) mkdirSync(join(root, STAGING, folder), {recursive: true});
    for (const path of touched) writeFileSync(join(root, STAGING, path), tree.files.get(path) ?? Buffer.alloc(0));
  } catch (error) {
    for (const folder of STAGED) rmSync(join(root, STAGING, folder), {recursive: true, force: true});
    throw error;
  }
}

/** Renames into place, the catalogue last. What goes into a folder that is not there yet goes with the folder. */
function commit(
  root: string,
  tree: Tree,
  changes: Changes,
  touched: readonly string[],
  folders: Iterable<string>,
): void {
  const missing = missingFolders(root, folders);
  const moved = (path: string) => missing.find(folder => path.startsWith(`${folder}/`)) ?? path;
  const last = moved(tree.catalogue);
  const moves = new Set(touched.map(moved));
  moves.delete(last);
  if (last === tree.catalogue && (changes.changed.some(path => path !== last) || changes.removed.length > 0))
    publishStanding(root, tree, changes);
  for (const path of [...moves, last]) renameSync(join(root, STAGING, path), join(root, path));
  for (const path of changes.removed) rmSync(join(root, path));
}

/** The folders that are not there, without those below them. */
function missingFolders(root: string, folders: Iterable<string>): string[] {
  const all = new Set([...folders].flatMap(withFoldersAbove));
  const missing = new Set([...all].filter(folder => !existsSync(join(root, folder))));
  return [...missing].filter(folder => !missing.has(dirname(folder)));
}

/** Replaces the catalogue by one of only what stands already and stays. */
function publishStanding(root: string, tree: Tree, changes: Changes): void {
  const standing = `${STAGING}/standing.json`;
  writeFileSync(join(root, standing), tree.catalogueOf(new Set(changes.unchanged)));
  renameSync(join(root, standing), join(root, tree.catalogue));
}
