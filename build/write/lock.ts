import {closeSync, fstatSync, mkdirSync, openSync, rmSync, rmdirSync, statSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {InputError, refuse} from '../fault.ts';
import {systemFault} from '../system-fault.ts';
import {obstacleFaults} from './obstacles.ts';
import {JOURNAL, WORK} from './owned.ts';

const LOCK = `${WORK}/lock`;

/** What it brings no types of. */
interface Locks {
  /** True where nobody else holds the file; the system lets go of it when the process ends, however it ends. */
  readonly tryLock: (file: number) => boolean;
}

/** Keeps the output of a root to one build at a time. */
export class Lock {
  readonly #root: string;
  readonly #file: number;

  private constructor(root: string, file: number) {
    [this.#root, this.#file] = [root, file];
  }

  /** Throws `InputError` where another build is at work. */
  static take(root: string): Lock {
    refuse(obstacleFaults(root, [LOCK, JOURNAL]));
    const lock = new Lock(root, opened(root));
    if (isFree(lock.#file) && lock.#stands()) return lock;
    closeSync(lock.#file);
    throw atWork();
  }

  /** Removes its traces, and the folder where nothing else is in it. */
  release(): void {
    rmSync(join(this.#root, LOCK), {force: true});
    closeSync(this.#file);
    try {
      rmdirSync(join(this.#root, WORK));
    } catch {
      // A killed build has left its journal there, or the next one has begun.
    }
  }

  /** Who held it before may have removed it since it was opened. */
  #stands(): boolean {
    return statSync(join(this.#root, LOCK), {throwIfNoEntry: false})?.ino === fstatSync(this.#file).ino;
  }
}

function opened(root: string): number {
  try {
    mkdirSync(join(root, WORK), {recursive: true});
    return openSync(join(root, LOCK), 'a');
  } catch (cause) {
    // Another build removed the folder between the two.
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw atWork();
    throw systemFault(root, cause, 'written');
  }
}

function isFree(file: number): boolean {
  try {
    const {tryLock} = createRequire(import.meta.url)('fs-native-extensions') as Locks;
    return tryLock(file);
  } catch {
    // Some systems, and some disks of a network, know no locks: there nobody can be kept out.
    return true;
  }
}

function atWork(): InputError {
  return new InputError({file: LOCK, rule: 'is held by another build of this folder: wait until it has ended'});
}
