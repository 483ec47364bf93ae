import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {Tree} from '../compose/tree.ts';
import {refuse, type Fault} from '../fault.ts';
import {obstacleFaults} from './obstacles.ts';
import {JOURNAL, ownedOf} from './owned.ts';

/** What a build would do to the files below the root; paths from the root, sorted. */
export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
}

/** Compares a tree with what stands on disk. Throws `InputError` where something is in the way of the tree: a file of others, too. */
export function changesOf(root: string, tree: Tree): Changes {
  refuse(obstacleFaults(root, [...tree.files.keys(), JOURNAL]));
  const owned = ownedOf(root);
  const stale = [...owned.paths].filter(path => !tree.files.has(path));
  refuse(obstacleFaults(root, stale));
  const changes = {added: [] as string[], changed: [] as string[], removed: [] as string[], unchanged: [] as string[]};
  for (const [path, bytes] of tree.files) changes[stateOf(join(root, path), bytes)].push(path);
  for (const path of stale) {
    if (exists(join(root, path))) changes.removed.push(path);
  }
  for (const list of Object.values(changes)) list.sort();
  if (owned.known) refuse(changes.changed.filter(path => !owned.paths.has(path)).map(foreign));
  return changes;
}

function foreign(file: string): Fault {
  return {file, rule: 'stands there, and no build wrote it: move it away'};
}

/** True where the files on disk are exactly the tree. */
export function isUpToDate({added, changed, removed}: Changes): boolean {
  return added.length + changed.length + removed.length === 0;
}

function stateOf(path: string, bytes: Buffer): 'added' | 'changed' | 'unchanged' {
  const found = statSync(path, {throwIfNoEntry: false});
  if (!found) return 'added';
  return found.size === bytes.length && bytes.equals(readFileSync(path)) ? 'unchanged' : 'changed';
}

function exists(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isFile() === true;
}
