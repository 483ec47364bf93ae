import {lstatSync, readlinkSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Fault} from '../../shared/fault.ts';

/**
 * What stands in the way of files below the root: something other than a folder above them, a link included, something
 * other than a file in their place. A build that finds any writes and removes nothing.
 *
 * @param paths the files whose folders are looked at
 * @param files those that are looked at themselves
 */
export function obstacleFaults(root: string, paths: Iterable<string>, files: readonly string[]): Fault[] {
  const folders = new Set([...new Set([...paths].map(path => dirname(path)))].flatMap(withFoldersAbove));
  const faults: Fault[] = [];
  for (const folder of folders) {
    // One fault is enough for all that lies below what is in the way.
    if (faults.some(({file}) => folder.startsWith(`${file}/`))) continue;
    faults.push(...faultOf(folder, folderRule(join(root, folder))));
  }
  if (faults.length > 0) return faults;
  return files.flatMap(file => faultOf(file, fileRule(join(root, file))));
}

/** `a/b` is itself, and below `a`. */
export function withFoldersAbove(folder: string): string[] {
  return folder === '.' ? [] : [...withFoldersAbove(dirname(folder)), folder];
}

function folderRule(path: string): string | undefined {
  const found = unlessMissing(() => lstatSync(path, {throwIfNoEntry: false}));
  if (found?.isSymbolicLink()) return `is a link to ${readlinkSync(path)}: the output must be in the root`;
  return found && !found.isDirectory() ? 'is in the way: a folder must stand here' : undefined;
}

/** A link in place of a file is replaced, not followed, when the file is renamed into place. */
function fileRule(path: string): string | undefined {
  const found = unlessMissing(() => statSync(path, {throwIfNoEntry: false}));
  return found && !found.isFile() ? 'is in the way: a file must stand here' : undefined;
}

function faultOf(file: string, rule: string | undefined): Fault[] {
  return rule === undefined ? [] : [{file, rule}];
}

/** Nothing where a path does not exist, also because a file stands above it: that file has a fault of its own. */
function unlessMissing<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
}
