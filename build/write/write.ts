import {mkdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import type {Tree} from '../compose/tree.ts';
import {InputError} from '../fault.ts';
import {isUpToDate, type Changes} from './changes.ts';
import {JOURNAL, ownedPaths, STAGING} from './owned.ts';

/**
 * Makes the files below the root be the tree. Everything is prepared in a staging folder first, so that a full disk changes nothing;
 * then files are renamed into place. A build killed at any moment is repaired by the next one, and at no moment does the catalogue
 * name a document that is missing or has other bytes: while documents change it names only those that stand.
 */
export function write(root: string, tree: Tree, changes: Changes): void {
  if (!isUpToDate(changes)) {
    const touched = [...changes.added, ...changes.changed].filter(path => path !== tree.catalogue);
    const folders = new Set([...touched, ...changes.removed, tree.catalogue].map(path => dirname(path)));
    orExpected(root, () => {
      prepare(root, tree, touched, folders);
      commit(root, tree, changes, touched, folders);
    });
  }
  rmSync(join(root, STAGING), {recursive: true, force: true});
}

/** Writes what will be renamed, and what is owned, beside the output; where that fails nothing is left but what a killed build owned. */
function prepare(root: string, tree: Tree, touched: readonly string[], folders: ReadonlySet<string>): void {
  const owned = ownedPaths(root);
  try {
    mkdirSync(join(root, STAGING), {recursive: true});
    writeFileSync(join(root, `${JOURNAL}.new`), JSON.stringify([...owned, ...tree.files.keys()]));
    renameSync(join(root, `${JOURNAL}.new`), join(root, JOURNAL));
    for (const folder of folders) mkdirSync(join(root, STAGING, folder), {recursive: true});
    for (const path of [...touched, tree.catalogue])
      writeFileSync(join(root, STAGING, path), tree.files.get(path) ?? Buffer.alloc(0));
  } catch (error) {
    for (const folder of ['public', 'paywall']) rmSync(join(root, STAGING, folder), {recursive: true, force: true});
    throw error;
  }
}

function commit(
  root: string,
  tree: Tree,
  changes: Changes,
  touched: readonly string[],
  folders: ReadonlySet<string>,
): void {
  for (const folder of folders) mkdirSync(join(root, folder), {recursive: true});
  if (changes.changed.some(path => path !== tree.catalogue) || changes.removed.length > 0)
    publishStanding(root, tree, changes);
  for (const path of touched) renameSync(join(root, STAGING, path), join(root, path));
  renameSync(join(root, STAGING, tree.catalogue), join(root, tree.catalogue));
  for (const path of changes.removed) rmSync(join(root, path));
}

/** Replaces the catalogue by one of only what stands already and stays. */
function publishStanding(root: string, tree: Tree, changes: Changes): void {
  const standing = `${STAGING}/standing.json`;
  writeFileSync(join(root, standing), tree.catalogueOf(new Set(changes.unchanged)));
  renameSync(join(root, standing), join(root, tree.catalogue));
}

/** A disk that refuses is not a bug: one line with the path and the system's code. */
function orExpected(root: string, act: () => void): void {
  try {
    act();
  } catch (cause) {
    const {code, path, dest, syscall} = cause as NodeJS.ErrnoException & {dest?: string};
    if (code === undefined || syscall === undefined) throw cause;
    const file = relative(root, dest ?? path ?? join(root, 'public'));
    throw new InputError({file, rule: `cannot be written (${code})`}, {cause});
  }
}
