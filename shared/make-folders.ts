import {mkdirSync, statSync} from 'node:fs';
import {dirname} from 'node:path';

/** Makes a folder and those above it. Node's own `recursive` says of a read-only disk that the folder does not exist; this says EROFS. */
export function makeFolders(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    const above = dirname(folder);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && above !== folder) {
      makeFolders(above);
      makeFolders(folder);
    } else if (!statSync(folder, {throwIfNoEntry: false})?.isDirectory()) throw error;
  }
}
