import {closeSync, openSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {makeFolders} from '../../build/disk/make-folders.ts';
import {InputError} from '../../shared/fault.ts';

/** What is used of fs-native-extensions, which brings no types. */
interface Locks {
  /** True where nobody else holds the file; the system lets go of it when the process ends, however it ends. */
  readonly tryLock: (file: number) => boolean;
}

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
    const {tryLock} = createRequire(import.meta.url)('fs-native-extensions') as Locks;
    if (!tryLock(held)) throw new InputError({file, rule: 'is held by another buyer: wait until it has ended'});
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
