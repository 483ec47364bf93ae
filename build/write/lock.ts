import {closeSync, fstatSync, rmSync, rmdirSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {InputError, refuse} from '../../shared/fault.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {lockFile} from '../../shared/file-lock.ts';
import {systemFault} from '../disk/plain-file.ts';
import {obstacleFaults, JOURNAL} from './changes.ts';
import {WORK} from '../../shared/paths.ts';

const LOCK = `${WORK}/lock`;

/** Allows only one build at a time in a root. Throws `InputError` if another build is running, or if that cannot be determined. */
export function takeLock(root: string) {
  refuse(obstacleFaults(root, [LOCK, JOURNAL], [LOCK, JOURNAL]));
  const file = lockedIn(root);
  return {
    /** The current time of the disk's clock, in milliseconds. 0 if the lock file cannot be written. */
    diskTime(): number {
      if (file === undefined) return 0;
      // On a full disk, this byte cannot be written either.
      const time = ifReadable(() => {
        writeSync(file, '.');
        return fstatSync(file).mtimeMs;
      });
      return time ?? 0;
    },

    /** Removes the lock file, and its folder if that is empty. */
    release(): void {
      if (file === undefined) return;
      try {
        rmSync(join(root, LOCK), {force: true});
        rmdirSync(join(root, WORK));
      } catch {
        // A killed build has left its journal there.
      } finally {
        closeSync(file);
      }
    },
  };
}

/** Undefined if the folder cannot be written. Then only a build in which nothing changed succeeds. */
function lockedIn(root: string): number | undefined {
  let file;
  try {
    file = lockFile(join(root, LOCK));
  } catch (cause) {
    if (['EACCES', 'EPERM', 'EROFS'].includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw systemFault(root, cause, 'written');
  }
  if (file !== undefined) return file;
  const rule = 'is locked by another build or by `frozen dev`, which is building this folder now';
  throw new InputError({code: 'FZ402', file: LOCK, rule});
}
