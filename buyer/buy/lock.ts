import {closeSync, openSync} from 'node:fs';
import {join} from 'node:path';
import {makeFolders} from '../../shared/make-folders.ts';
import {nativeFiles} from '../../shared/file-lock.ts';
import {InputError} from '../../shared/fault.ts';

/**
 * Locks a folder of documents until the lock is disposed of, because two buyers could pay for the same document. Throws `InputError` if
 * another buyer has the lock, or if the folder cannot be locked.
 */
export function lockFolder(folder: string): Disposable & {readonly folder: string} {
  const file = join(folder, '.lock');
  let handle: number | undefined;
  try {
    makeFolders(folder);
    const held = (handle = openSync(file, 'w', 0o600));
    if (!nativeFiles().tryLock(held))
      throw new InputError({code: 'FZ610', file, rule: 'is in use by another buyer', fix: 'Wait until it has ended.'});
    return {
      folder,
      [Symbol.dispose]() {
        closeSync(held);
      },
    };
  } catch (cause) {
    if (handle !== undefined) closeSync(handle);
    if (cause instanceof InputError) throw cause;
    throw new InputError({code: 'FZ611', file, rule: `cannot be locked: ${(cause as Error).message}`}, {cause});
  }
}
