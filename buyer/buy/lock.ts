import {closeSync, openSync} from 'node:fs';
import {join} from 'node:path';
import {makeFolders} from '../../shared/make-folders.ts';
import {nativeFiles} from '../../shared/file-lock.ts';
import {InputError} from '../../shared/fault.ts';

/**
 * Keeps a folder of documents to one buyer at a time, until it is disposed of. Throws `InputError` where another has it, or where it
 * cannot be locked: two buyers would pay for one document.
 */
export function lockFolder(folder: string): Disposable & {readonly folder: string} {
  const file = join(folder, '.lock');
  let handle: number | undefined;
  try {
    makeFolders(folder);
    const held = (handle = openSync(file, 'w', 0o600));
    if (!nativeFiles().tryLock(held))
      throw new InputError({file, rule: 'is held by another buyer: wait until it has ended'});
    return {
      folder,
      [Symbol.dispose]() {
        closeSync(held);
      },
    };
  } catch (cause) {
    if (handle !== undefined) closeSync(handle);
    if (cause instanceof InputError) throw cause;
    throw new InputError({file, rule: `cannot be locked: ${(cause as Error).message}`}, {cause});
  }
}
