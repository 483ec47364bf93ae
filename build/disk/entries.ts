import {readdirSync, type Dirent} from 'node:fs';

/** What stands in a folder, by its name; nothing where there is no folder. One look at a folder costs less than one at each of its files. */
export function entriesOf(folder: string): ReadonlyMap<string, Dirent> {
  try {
    return new Map(readdirSync(folder, {withFileTypes: true}).map(entry => [entry.name, entry]));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return new Map();
    throw error;
  }
}
