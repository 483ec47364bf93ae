import {statSync} from 'node:fs';
import {join} from 'node:path';
import type {Tree} from '../compose/tree.ts';
import {refuse, type Fault} from '../../shared/fault.ts';
import {obstacleFaults} from './obstacles.ts';
import {JOURNAL, ownedOf} from './owned.ts';
import type {Stage} from './stage.ts';

/** What a build would do to the files below the root; paths from the root, sorted. */
export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
}

/**
 * Compares a tree, whose files were staged, with what stands. Throws `InputError` where something is in its way: a file of others, too.
 *
 * @param former what the last build wrote, where it is known
 */
export async function changesOf(root: string, tree: Tree, stage: Stage, former?: readonly string[]): Promise<Changes> {
  refuse(obstacleFaults(root, [...tree.files.keys(), JOURNAL]));
  const owned = ownedOf(root, former);
  const stale = [...owned.paths].filter(path => !tree.files.has(path));
  refuse(obstacleFaults(root, stale));
  await stage.end();
  const changes = {
    added: stage.added.toSorted(),
    changed: stage.changed.toSorted(),
    removed: stale.filter(path => exists(join(root, path))).toSorted(),
    unchanged: stage.unchanged.toSorted(),
  };
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

function exists(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isFile() === true;
}
