import {lstat, readFile, realpath} from 'node:fs/promises';
import {join} from 'node:path';
import type {Documents} from './documents.ts';
import {RecentBytes} from './recent-bytes.ts';

/** Bytes held in memory for all small files together, and for all large ones: two of the largest that a site can have. */
const SMALL_FILES_BYTES = 16 * 1024 * 1024;
const LARGE_FILES_BYTES = 50 * 1024 * 1024;
const LARGE_FILE_BYTES = 512 * 1024;

/**
 * Files below a folder, by their path in it, which starts with a slash. A link anywhere on the way is refused, so
 * nothing outside the folder is ever read. Files are kept in memory until they change on disk, as many as there is room
 * for, and each is read once for all who ask for it at a time.
 */
export async function openDisk(folder: string): Promise<Documents> {
  const root = await realpath(folder);
  const [small, large] = [new RecentBytes(SMALL_FILES_BYTES), new RecentBytes(LARGE_FILES_BYTES)];
  const reading = new Map<string, Promise<Uint8Array<ArrayBuffer> | undefined>>();

  async function read(file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const path = join(root, file);
    const version = await versionOf(path);
    if (version === undefined) return undefined;
    const key = `${version} ${file}`;
    const known = small.get(key) ?? large.get(key);
    if (known) return known;
    const begun = reading.get(key) ?? readOnce(path, key);
    reading.set(key, begun);
    return begun;
  }

  async function readOnce(path: string, key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      if ((await realpath(path)) !== path) return undefined;
      const bytes = new Uint8Array(await readFile(path));
      (bytes.length > LARGE_FILE_BYTES ? large : small).set(key, bytes);
      return bytes;
    } finally {
      reading.delete(key);
    }
  }

  return {read: file => read(file).catch(() => undefined)};
}

/** Changes whenever the file does, its rights included; undefined for what is no plain file. */
async function versionOf(path: string): Promise<string | undefined> {
  const stats = await lstat(path);
  return stats.isFile() ? [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ') : undefined;
}
