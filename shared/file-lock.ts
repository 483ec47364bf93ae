import {closeSync, constants, fstatSync, openSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {makeFolders} from './make-folders.ts';
import {createRequire} from 'node:module';

/** The functions of fs-native-extensions that this project calls. The package lacks type declarations. */
interface NativeFiles {
  /** Returns true if no other process has locked the file. The system releases the lock when the process ends for any reason. */
  tryLock(file: number): boolean;
  /** Swaps two files or folders atomically. */
  swapSync(one: string, other: string): void;
}

/** Loads the package on first use, because it does not support every system. */
export function nativeFiles(): NativeFiles {
  return createRequire(import.meta.url)('fs-native-extensions') as NativeFiles;
}

const {O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY} = constants;

/**
 * Opens a file, creating it if necessary, and locks it against other processes until it is closed or the process ends. Returns its
 * descriptor, or undefined if another process has locked it or has just removed it. Throws errors of the system unchanged.
 */
export function lockFile(path: string): number | undefined {
  const file = openOrCreate(path);
  if (file === undefined) return undefined;
  if (isFree(file) && statSync(path, {throwIfNoEntry: false})?.ino === fstatSync(file).ino) return file;
  closeSync(file);
  return undefined;
}

/** Tries to lock an open file. Returns true if it is now locked, or if the system or network disk does not support locks. */
function isFree(file: number): boolean {
  try {
    return nativeFiles().tryLock(file);
  } catch {
    return true;
  }
}

function openOrCreate(path: string): number | undefined {
  makeFolders(dirname(path));
  try {
    // Do not follow a link, and do not wait for a reader of a pipe.
    return openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    // Another process has just removed the folder.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
