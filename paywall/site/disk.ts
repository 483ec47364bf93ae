import {lstatSync} from 'node:fs';
import {readFile, realpath} from 'node:fs/promises';
import {join} from 'node:path';
import type {Documents} from './documents.ts';
import {RecentBytes} from './recent-bytes.ts';

/** The sizes of the caches for small and for large files. The second can store two files of the largest size. */
const SMALL_FILES_BYTES = 16 * 1024 * 1024;
const LARGE_FILES_BYTES = 50 * 1024 * 1024;
const LARGE_FILE_BYTES = 512 * 1024;

/**
 * Opens a folder to read files by their path in it, which starts with a slash. A path with a symbolic link is refused, so no file outside the
 * folder is read. Recently read files are cached until they change on disk. Concurrent reads of a file share one read.
 */
export async function openDisk(folder: string): Promise<Documents> {
  const root = await realpath(folder);
  const [small, large] = [new RecentBytes(SMALL_FILES_BYTES), new RecentBytes(LARGE_FILES_BYTES)];
  const reading = new Map<string, Promise<Uint8Array<ArrayBuffer> | undefined>>();

  async function read(file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const path = join(root, file);
    const version = versionOf(path);
    if (version === undefined) return undefined;
    const key = `${version} ${file}`;
    const cached = small.get(key) ?? large.get(key);
    if (cached) return cached;
    const bytes = reading.get(key) ?? readUncached(path, key);
    reading.set(key, bytes);
    return bytes;
  }

  async function readUncached(path: string, key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      if ((await realpath(path)) !== path) return undefined;
      const bytes = new Uint8Array(await readFile(path));
      (bytes.length > LARGE_FILE_BYTES ? large : small).set(key, bytes);
      return bytes;
    } finally {
      reading.delete(key);
    }
  }

  return {
    read: (file, onFault) =>
      read(file).catch((error: unknown) => {
        onFault?.(error);
        return undefined;
      }),
  };
}

/**
 * Returns a text that changes whenever the file or its permissions change, or undefined if it is not a regular file. Synchronous, because
 * an asynchronous call takes as long as the rest of the answer.
 */
function versionOf(path: string): string | undefined {
  const stats = lstatSync(path);
  return stats.isFile() ? [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ') : undefined;
}
