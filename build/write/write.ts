import {mkdir, rename, rm, writeFile} from 'node:fs/promises';
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
export async function write(root: string, tree: Tree, changes: Changes): Promise<void> {
  if (!isUpToDate(changes)) {
    const touched = [...changes.added, ...changes.changed].filter(path => path !== tree.catalogue);
    const folders = new Set([...touched, ...changes.removed, tree.catalogue].map(path => dirname(path)));
    await orExpected(root, () => prepare(root, tree, touched));
    await orExpected(root, () => commit(root, tree, changes, touched, folders));
  }
  await rm(join(root, STAGING), {recursive: true, force: true});
}

/** Writes what will be renamed, and what is owned, beside the output; where that fails nothing is left but what a killed build owned. */
async function prepare(root: string, tree: Tree, touched: readonly string[]): Promise<void> {
  const owned = await ownedPaths(root);
  try {
    await mkdir(join(root, STAGING), {recursive: true});
    await writeFile(join(root, `${JOURNAL}.new`), JSON.stringify([...owned, ...tree.files.keys()]));
    await rename(join(root, `${JOURNAL}.new`), join(root, JOURNAL));
    for (const path of [...touched, tree.catalogue]) await stage(root, path, tree.files.get(path) ?? Buffer.alloc(0));
  } catch (error) {
    for (const folder of ['public', 'paywall']) await rm(join(root, STAGING, folder), {recursive: true, force: true});
    throw error;
  }
}

async function commit(
  root: string,
  tree: Tree,
  changes: Changes,
  touched: readonly string[],
  folders: ReadonlySet<string>,
): Promise<void> {
  for (const folder of folders) await mkdir(join(root, folder), {recursive: true});
  if (changes.changed.some(path => path !== tree.catalogue) || changes.removed.length > 0)
    await publishStanding(root, tree, changes);
  for (const path of touched) await rename(join(root, STAGING, path), join(root, path));
  await rename(join(root, STAGING, tree.catalogue), join(root, tree.catalogue));
  for (const path of changes.removed) await rm(join(root, path));
}

/** Replaces the catalogue by one of only what stands already and stays. */
async function publishStanding(root: string, tree: Tree, changes: Changes): Promise<void> {
  const standing = `${STAGING}/standing.json`;
  await writeFile(join(root, standing), tree.catalogueOf(new Set(changes.unchanged)));
  await rename(join(root, standing), join(root, tree.catalogue));
}

async function stage(root: string, path: string, bytes: Buffer): Promise<void> {
  const staged = join(root, STAGING, path);
  await mkdir(dirname(staged), {recursive: true});
  await writeFile(staged, bytes);
}

/** A disk that refuses is not a bug: one line with the path and the system's code. */
async function orExpected(root: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (cause) {
    const {code, path, dest, syscall} = cause as NodeJS.ErrnoException & {dest?: string};
    if (code === undefined || syscall === undefined) throw cause;
    const file = relative(root, dest ?? path ?? join(root, 'public'));
    throw new InputError({file, rule: `cannot be written (${code})`}, {cause});
  }
}
