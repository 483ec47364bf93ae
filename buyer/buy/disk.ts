import {mkdir, open, readFile, rename} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {z} from '@x402/core/schemas';
import {InputError} from '../../shared/fault.ts';
import {fieldName} from '../../shared/json-text.ts';
import {parsedJson} from '../../shared/parsed-json.ts';
import {shaped} from '../../shared/shaped.ts';
import {closeSync, openSync} from 'node:fs';
import {makeFolders} from '../../shared/make-folders.ts';
import {nativeFiles} from '../../shared/file-lock.ts';

/**
 * Returns the content of a JSON file in the folder of a buyer, or undefined if it does not exist. Throws `InputError` if it is damaged. The
 * message ends with the consequence, `so`; `fix` is the remedy if the JSON has another form.
 */
export async function readRecord<T>(
  file: string,
  schema: z.ZodType<T, z.ZodTypeDef, unknown>,
  so: string,
  fix?: string,
): Promise<T | undefined> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    const {code = ''} = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new InputError({code: 'FZ611', file, rule: `cannot be read (${code})`}, {cause});
  });
  if (text === undefined) return undefined;
  const json = parsedJson(text);
  const read = shaped(schema, json);
  if ('value' in read) return read.value;
  const [{path, rule}] = read.misfits;
  const fault = json === undefined ? 'is not JSON' : rule;
  throw new InputError({code: 'FZ611', file, field: fieldName(path), rule: `${fault}, so ${so}`, fix});
}

/** Replaces a file in one step, readable only by its owner, and resolves when it is on disk. */
export async function replaceDurably(file: string, text: string): Promise<void> {
  const fresh = `${file}.new`;
  await writeDurably(fresh, text);
  await rename(fresh, file);
  await syncFolder(dirname(file));
}

/** Writes a file, and resolves when it is on disk. */
export async function writeDurably(file: string, data: string | Uint8Array): Promise<void> {
  await using handle = await open(file, 'w', 0o600);
  await handle.writeFile(data);
  await handle.sync();
}

/** Creates a folder and its missing parents, and resolves when they are on disk. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, {recursive: true});
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** The errors of file systems that cannot flush folders, such as some folders of virtual machines. */
const UNSUPPORTED = ['EINVAL', 'EBADF', 'ENOTSUP'];

/** Flushes the entries of a folder to disk, if the file system supports it. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and flushes their entries itself.
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync().catch((error: unknown) => {
    if (!UNSUPPORTED.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  });
}

/** Runs work on a folder. Errors of the file system become `InputError`. */
export async function onDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const {code, syscall, path: file = folder} = cause as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw cause;
    throw new InputError({code: 'FZ611', file, rule: `cannot be read or written (${code})`}, {cause});
  }
}

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
