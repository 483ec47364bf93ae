import {lstat, readlink, stat} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {Fault} from '../fault.ts';

/**
 * What stands in the way of files below the root: something other than a folder above them, a link included, something
 * other than a file in their place. A build that finds any writes and removes nothing.
 */
export async function obstacleFaults(root: string, paths: Iterable<string>): Promise<Fault[]> {
  const files = [...paths];
  const folders = new Set(files.flatMap(foldersAbove));
  const faults: Fault[] = [];
  for (const folder of folders) {
    // What is below something in the way is in nobody's way.
    if (faults.some(({file}) => folder.startsWith(`${file}/`))) continue;
    faults.push(...faultOf(folder, await folderRule(join(root, folder))));
  }
  if (faults.length > 0) return faults;
  for (const file of files) faults.push(...faultOf(file, await fileRule(join(root, file))));
  return faults;
}

/** `a/b/c` is below `a` and `a/b`. */
function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [...foldersAbove(folder), folder];
}

async function folderRule(path: string): Promise<string | undefined> {
  const found = await unlessMissing(lstat(path));
  if (found?.isSymbolicLink()) return `is a link to ${await readlink(path)}: the output must be in the root`;
  return found && !found.isDirectory() ? 'is in the way: a folder must stand here' : undefined;
}

/** A link in place of a file is replaced, not followed, when the file is renamed into place. */
async function fileRule(path: string): Promise<string | undefined> {
  const found = await unlessMissing(stat(path));
  return found && !found.isFile() ? 'is in the way: a file must stand here' : undefined;
}

function faultOf(file: string, rule: string | undefined): Fault[] {
  return rule === undefined ? [] : [{file, rule}];
}

/** What stands below a file is missing as well; that file is told of. */
async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
}
