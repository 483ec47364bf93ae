import {statSync} from 'node:fs';
import {join} from 'node:path';
import {refuse} from '../../shared/fault.ts';
import {obstacleFaults} from './obstacles.ts';
import {JOURNAL, ownedOf} from './owned.ts';
import type {Written} from './stage.ts';

/** What a build would do to the files below the root; paths from the root, sorted. */
export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
}

/**
 * What is to be done with the files of a tree, and with those that earlier builds wrote. Throws `InputError` where something is in the
 * way: a file of others, too.
 *
 * @param former what the last build wrote, where it is known
 */
export function changesOf(root: string, tree: readonly Written[], former?: readonly string[]): Changes {
  const pathsOf = (state: Written['state']) => tree.flatMap(file => (file.state === state ? file.path : []));
  const [added, changed, unchanged] = [pathsOf('added').sort(), pathsOf('changed').sort(), pathsOf('unchanged')];
  const paths = new Set(tree.map(({path}) => path));
  refuse(obstacleFaults(root, [...paths, JOURNAL], [...changed, JOURNAL]));
  const owned = ownedOf(root, former);
  const stale = [...owned.paths].filter(path => !paths.has(path));
  refuse(obstacleFaults(root, stale, stale));
  const foreign = owned.known ? changed.filter(path => !owned.paths.has(path)) : [];
  refuse(foreign.map(file => ({file, rule: 'stands there, and no build wrote it: move it away'})));
  return {added, changed, removed: stale.filter(path => exists(join(root, path))).sort(), unchanged};
}

/** True where the files on disk are exactly the tree. */
export function isUpToDate({added, changed, removed}: Changes): boolean {
  return added.length + changed.length + removed.length === 0;
}

function exists(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isFile() === true;
}
