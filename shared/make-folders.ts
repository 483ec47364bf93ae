import {mkdirSync, statSync} from 'node:fs';
import {dirname} from 'node:path';

/**
 * Creates a folder and its parents. On a read-only disk Node's own `recursive` reports that the folder does not exist; this reports EROFS.
 */
export function makeFolders(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    const above = dirname(folder);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && above !== folder) {
      makeFolders(above);
      mkdirSync(folder, {recursive: true}); // not refused if another process has created it meanwhile
    } else if (!statSync(folder, {throwIfNoEntry: false})?.isDirectory()) throw error;
  }
}
