import {mkdirSync, statSync} from 'node:fs';
import {dirname} from 'node:path';

/**
 * Creates a folder and its parents. Node's own `recursive` reports on a read-only disk that the folder does not exist, and never ends below
 * `/proc`.
 */
export function makeFolders(folder: string): void {
  if (isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolders(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isDirectory() ?? false;
}
