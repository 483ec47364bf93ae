import {createReadStream, type Stats} from 'node:fs';
import {stat} from 'node:fs/promises';
import {basename} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {diskFault, onDisk} from './disk.ts';

/** One file of a list, opened: from this machine or over https. Disposing of it gives up what was not read. */
export interface OpenList extends Disposable {
  /** As the publisher named it, for messages. */
  readonly origin: string;
  /** Its own name, not yet fit for a freeze. */
  readonly name: string;
  /** Size in bytes, where it is known beforehand. */
  readonly bytes?: number | undefined;
  /** When it was last modified. */
  readonly modified: Date;
  /** Where it was downloaded from: without query, which may hold a key. */
  readonly address?: string | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Throws `InputError` for anything but a file that holds something, before anything is copied. */
export async function checkListFile(file: string): Promise<void> {
  if (file === '-')
    throw new InputError({file, rule: 'is standard input, which has no name to tell its format by: save it to a file'});
  const found = await onDisk(file, 'read', () => stat(file));
  if (found.isDirectory()) throw new InputError({file, rule: 'is a folder: name the files in it'});
  if (!found.isFile()) throw new InputError({file, rule: 'is not a file: save what it gives to one'});
  if (found.size === 0) throw new InputError({file, rule: 'is empty'});
}

/** Opens a file; its chunks end with an `InputError` where it changed meanwhile. */
export async function openListFile(file: string): Promise<OpenList> {
  const found = await onDisk(file, 'read', () => stat(file));
  return {
    origin: file,
    name: basename(file),
    bytes: found.size,
    modified: found.mtime,
    chunks: chunksOf(file, found),
    [Symbol.dispose]: () => undefined, // The stream ends with the loop that reads it.
  };
}

async function* chunksOf(file: string, before: Stats): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(file, {highWaterMark: 1 << 20})) yield chunk as Buffer;
  } catch (cause) {
    throw diskFault(file, 'read', cause);
  }
  const after = await onDisk(file, 'read', () => stat(file));
  if (before.mtimeMs !== after.mtimeMs || before.size !== after.size)
    throw new InputError({file, rule: 'changed while it was read: freeze it again once nobody writes to it'});
}
