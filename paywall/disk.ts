import {lstat, readFile, realpath} from 'node:fs/promises';
import {join} from 'node:path';
import type {Documents} from './documents.ts';

/** Bytes held in memory for all files together, and the largest file that is held; a larger one is shared by those who read it. */
const CACHE_BYTES = 16 * 1024 * 1024;
const CACHED_FILE_BYTES = 512 * 1024;

interface Cached {
  readonly version: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Files below a folder, by their path in it, which starts with a slash. A link anywhere on the way is refused, so
 * nothing outside the folder is ever read. Small files are kept in memory until they change on disk.
 */
export async function openDisk(folder: string): Promise<Documents> {
  const root = await realpath(folder);
  const cache = new Map<string, Cached>();
  const shared = new Map<string, {readonly version: string; readonly bytes: WeakRef<Cached['bytes']>}>();
  let held = 0;

  function drop(file: string): void {
    held -= cache.get(file)?.bytes.length ?? 0;
    cache.delete(file);
  }

  function keep(file: string, {version, bytes}: Cached): void {
    // Another request may have read it meanwhile.
    drop(file);
    if (bytes.length > CACHED_FILE_BYTES) {
      shared.set(file, {version, bytes: new WeakRef(bytes)});
      return;
    }
    for (const oldest of cache.keys()) {
      if (held + bytes.length <= CACHE_BYTES) break;
      drop(oldest);
    }
    cache.set(file, {version, bytes});
    held += bytes.length;
  }

  async function read(file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const path = join(root, file);
    const version = await versionOf(path);
    const cached = cache.get(file);
    if (cached && cached.version === version) return cached.bytes;
    const lent = shared.get(file);
    const lentBytes = lent?.version === version ? lent?.bytes.deref() : undefined;
    if (lentBytes) return lentBytes;
    drop(file);
    if (version === undefined || (await realpath(path)) !== path) return undefined;
    const bytes = new Uint8Array(await readFile(path));
    keep(file, {version, bytes});
    return bytes;
  }

  return {read: file => read(file).catch(() => undefined)};
}

/** Changes whenever the file does, its rights included; undefined for what is no plain file. */
async function versionOf(path: string): Promise<string | undefined> {
  const stats = await lstat(path);
  return stats.isFile() ? [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ') : undefined;
}
