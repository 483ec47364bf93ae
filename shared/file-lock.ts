import {closeSync, constants, fstatSync, openSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {makeFolders} from './make-folders.ts';
import {createRequire} from 'node:module';

/** The functions of fs-native-extensions that this project calls: the package has no type declarations of its own. */
interface NativeFiles {
  /** Returns true if no other process has locked the file. The system releases the lock when the process ends, however it ends. */
  tryLock(file: number, how?: {readonly shared: boolean}): boolean;
  /** Has two files or folders change places, in one step. */
  swapSync(one: string, other: string): void;
}

/** Loads the package when it is needed, because it does not exist for every system. */
export function nativeFiles(): NativeFiles {
  return createRequire(import.meta.url)('fs-native-extensions') as NativeFiles;
}

const {O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY} = constants;

/**
 * Opens a file, made where it is missing, and locks it against other processes, until it is closed or the process ends, however it ends.
 * Undefined where another process has it, or had it and removed it at this moment. Errors of the system are thrown as they are.
 */
export function lockFile(path: string): number | undefined {
  const file = openOrCreate(path);
  if (file === undefined) return undefined;
  if (isFree(file) && statSync(path, {throwIfNoEntry: false})?.ino === fstatSync(file).ino) return file;
  closeSync(file);
  return undefined;
}

/**
 * Whether nobody else holds an open file, which is then held here: by many at once where `shared`. Some systems, and some disks of a
 * network, know no locks: there nobody can be kept out.
 */
export function isFree(file: number, how = {shared: false}): boolean {
  try {
    return nativeFiles().tryLock(file, how);
  } catch {
    return true;
  }
}

function openOrCreate(path: string): number | undefined {
  makeFolders(dirname(path));
  try {
    // A link is not followed to another place, and a pipe without a reader is not waited for.
    return openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    // Another process removed the folder between the two.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
