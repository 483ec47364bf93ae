import {mkdirSync, statSync} from 'node:fs';
import {dirname} from 'node:path';

/**
 * Creates a folder and its parents. Node's own `recursive` reports on a read-only disk that the folder does not exist, and never ends below
 * `/proc`.
 *
 * @param isRepeated true if the parents have just been created
 */
export function makeFolders(folder: string, isRepeated = false): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    const above = dirname(folder);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && above !== folder && !isRepeated) {
      makeFolders(above);
      makeFolders(folder, true);
    } else if (!statSync(folder, {throwIfNoEntry: false})?.isDirectory()) throw error;
  }
}
