import {createReadStream, type Stats} from 'node:fs';
import {stat} from 'node:fs/promises';
import {basename} from 'node:path';
import {InputError, wrongUsage, type Place} from '../../shared/fault.ts';
import {fileError, withFileErrors} from '../../shared/file-errors.ts';

/** An opened file of a list, local or from https. Disposing of it discards what was not read. */
export interface OpenList extends Disposable {
  /** As the publisher named it, for messages. */
  readonly origin: string;
  /** Its original name, which may be invalid in a freeze. */
  readonly name: string;
  /** Size in bytes, if it is known in advance. */
  readonly bytes?: number | undefined;
  /** Undefined if a server does not say it. */
  readonly modified: Date | undefined;
  /** The address of a download, without the query, which may contain a key. */
  readonly address?: string | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Returns the place of errors about a file of a list, as the publisher named it. */
export function placeOf({origin, address}: Pick<OpenList, 'origin' | 'address'>): Place {
  return address === undefined ? {file: origin} : {url: origin};
}

const SAVE = 'Save the list to a file first.';

/** Throws `InputError` for anything but a file with content, before anything is copied. */
export async function checkListFile(file: string): Promise<void> {
  if (file === '-') {
    const rule = 'is standard input, and the format follows from a file name';
    throw wrongUsage({code: 'FZ121', subject: file, rule, fix: SAVE});
  }
  const found = await withFileErrors(file, 'read', () => stat(file));
  if (found.isDirectory())
    throw new InputError({code: 'FZ121', file, rule: 'is a folder', fix: 'Name the files in it.'});
  if (!found.isFile()) throw new InputError({code: 'FZ121', file, rule: 'is not a file', fix: SAVE});
  if (found.size === 0) throw new InputError({code: 'FZ126', file, rule: 'is empty'});
}

/** Opens a file. Its chunks end with an `InputError` if it changed while it was read. */
export async function openListFile(file: string): Promise<OpenList> {
  const found = await withFileErrors(file, 'read', () => stat(file));
  return {
    origin: file,
    name: basename(file),
    bytes: found.size,
    modified: found.mtime,
    chunks: chunksOf(file, found),
    [Symbol.dispose]: () => undefined, // the stream closes when its reader stops
  };
}

async function* chunksOf(file: string, before: Stats): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(file, {highWaterMark: 1 << 20})) yield chunk as Buffer;
  } catch (cause) {
    throw fileError(file, 'read', cause);
  }
  const after = await withFileErrors(file, 'read', () => stat(file));
  if (before.mtimeMs !== after.mtimeMs || before.size !== after.size) {
    const rule = 'changed while it was read';
    const fix = 'Freeze it again when no program writes to it.';
    throw new InputError({code: 'FZ402', file, rule, fix});
  }
}
