import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {InputError} from '../../shared/fault.ts';
import {fileError} from '../../shared/file-errors.ts';

/**
 * Returns the bytes of a regular file of at most `maxBytes`. Throws `InputError` for anything else: a device could be endless, and a pipe
 * could block.
 */
export async function readBounded(file: string, maxBytes: number): Promise<Buffer> {
  try {
    // Without O_NONBLOCK, opening a pipe waits for a writer.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new InputError({code: 'FZ616', file, rule: 'is a folder', fix: 'Name a file.'});
    if (!stats.isFile()) throw new InputError({code: 'FZ616', file, rule: 'is not a regular file'});
    if (stats.size > maxBytes) throw new InputError({code: 'FZ616', file, rule: `has more than ${maxBytes} bytes`});
    return await handle.readFile();
  } catch (cause) {
    throw fileError(file, 'read', cause);
  }
}

/** Returns a file as text, or undefined if it does not exist. */
export async function textIfThere(file: string, maxBytes: number): Promise<string | undefined> {
  return (await bytesIfThere(file, maxBytes))?.toString('utf8');
}

/** Returns the bytes of a file, or undefined if it does not exist. */
export async function bytesIfThere(file: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    return await readBounded(file, maxBytes);
  } catch (error) {
    if (error instanceof InputError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
      return undefined;
    throw error;
  }
}
