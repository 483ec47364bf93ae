import {realpath, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {CATALOGUE_FILE, PUBLIC, RULES_FILE, SIGNATURE_FILE} from '../../shared/paths.ts';

/** Returns a text that changes with every build and every signature of the site below `root`, and if its folders are replaced. */
export async function stampOf(root: string): Promise<string> {
  const stamps = [RULES_FILE, CATALOGUE_FILE, SIGNATURE_FILE].map(async file => {
    const {dev, ino, size, mtimeMs, ctimeMs} = await stat(join(root, file));
    return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
  });
  // If a folder is moved, the stamps of its files do not change, but its real path does.
  const folder = realpath(join(root, PUBLIC));
  return (await Promise.all([folder, ...stamps].map(stamp => stamp.catch(() => 'gone')))).join(', ');
}
