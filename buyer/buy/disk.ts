import {mkdir, open, rename} from 'node:fs/promises';
import {dirname} from 'node:path';
import {InputError} from '../../shared/fault.ts';

/** Writes a file that is on the disk when this resolves, whole or as it was before. Nobody else may read it. */
export async function replaceDurably(file: string, text: string): Promise<void> {
  const fresh = `${file}.new`;
  await writeDurably(fresh, text);
  await rename(fresh, file);
  await syncFolder(dirname(file));
}

/** Writes a file and waits until the disk has it. */
export async function writeDurably(file: string, data: string | Uint8Array): Promise<void> {
  await using handle = await open(file, 'w', 0o600);
  await handle.writeFile(data);
  await handle.sync();
}

/** Makes a folder and those above it, each of them on the disk. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, {recursive: true});
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Waits until the disk has the names in a folder. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders, and writes names down by itself.
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** What `work` in a folder gives; a disk that refuses is no bug, and thrown as `InputError`. */
export async function onDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const {code, syscall, path: file = folder} = cause as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw cause;
    throw new InputError({file, rule: `cannot be read or written (${code})`}, {cause});
  }
}
