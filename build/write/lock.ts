import {closeSync, constants, fstatSync, openSync, rmSync, rmdirSync, statSync, writeSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {InputError, refuse} from '../../shared/fault.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {makeFolders} from '../disk/make-folders.ts';
import {systemFault} from '../disk/system-fault.ts';
import {obstacleFaults} from './obstacles.ts';
import {WORK} from '../../shared/paths.ts';
import {JOURNAL} from './owned.ts';

const LOCK = `${WORK}/lock`;

/** What is used of fs-native-extensions, which brings no types. */
interface Locks {
  /** True where nobody else holds the file; the system lets go of it when the process ends, however it ends. */
  readonly tryLock: (file: number, how: {shared: boolean}) => boolean;
}

/** Keeps the output of a root to one build at a time. */
export class Lock {
  readonly #root: string;
  readonly #file: number | undefined;

  private constructor(root: string, file: number | undefined) {
    [this.#root, this.#file] = [root, file];
  }

  /** Throws `InputError` where another build is at work, or where it cannot be told. */
  static take(root: string): Lock {
    refuse(obstacleFaults(root, [LOCK, JOURNAL], [LOCK, JOURNAL]));
    const file = opened(root);
    if (file === undefined ? !isHeldByOthers(root) : isFree(file) && stands(root, file)) return new Lock(root, file);
    if (file !== undefined) closeSync(file);
    throw atWork();
  }

  /** What the disk's clock says, in milliseconds; 0 where nothing may be written there. */
  moment(): number {
    if (this.#file === undefined) return 0;
    writeSync(this.#file, '.');
    return fstatSync(this.#file).mtimeMs;
  }

  /** Removes its traces, and the folder where nothing else is in it. */
  release(): void {
    if (this.#file === undefined) return;
    try {
      rmSync(join(this.#root, LOCK), {force: true});
      rmdirSync(join(this.#root, WORK));
    } catch {
      // A killed build has left its journal there.
    } finally {
      closeSync(this.#file);
    }
  }
}

/** The lock file; undefined where this user may not write it. */
function opened(root: string): number | undefined {
  try {
    makeFolders(join(root, WORK));
    // A link is not followed out of the root.
    return openSync(join(root, LOCK), constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW);
  } catch (cause) {
    const {code = ''} = cause as NodeJS.ErrnoException;
    // Another build removed the folder between the two.
    if (code === 'ENOENT') throw atWork();
    if (['EACCES', 'EPERM', 'EROFS'].includes(code)) return undefined;
    throw systemFault(root, cause, 'written');
  }
}

/** Who held the file before may have removed it since it was opened. */
function stands(root: string, file: number): boolean {
  return statSync(join(root, LOCK), {throwIfNoEntry: false})?.ino === fstatSync(file).ino;
}

/** Whether another user builds here, whose lock this one may read and not write. */
function isHeldByOthers(root: string): boolean {
  const file = ifReadable(() => openSync(join(root, LOCK), constants.O_RDONLY | constants.O_NOFOLLOW));
  if (file === undefined) return false;
  try {
    return !isFree(file, {shared: true});
  } finally {
    closeSync(file);
  }
}

function isFree(file: number, how = {shared: false}): boolean {
  try {
    const {tryLock} = createRequire(import.meta.url)('fs-native-extensions') as Locks;
    return tryLock(file, how);
  } catch {
    // Some systems, and some disks of a network, know no locks: there nobody can be kept out.
    return true;
  }
}

function atWork(): InputError {
  return new InputError({file: LOCK, rule: 'is held by another build of this folder: wait until it has ended'});
}
