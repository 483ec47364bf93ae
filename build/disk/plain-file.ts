import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs';
import {isAbsolute, join, relative, sep} from 'node:path';
import {type Fault, InputError} from '../../shared/fault.ts';

/** The error for a link that leads out of the root. */
export const LEADS_OUT = "is a link that leads out of the site's folder";

/** The first bytes of a Git LFS pointer, a few lines that git writes in place of a file whose content is not downloaded. */
export const LFS_START = Buffer.from('version https://git-lfs.github.com/spec/');
/** A pointer is shorter than this (Git LFS specification, "The Pointer"). */
const LFS_BYTES = 1024;

/** Returns the real path of a path below the root, links followed. Undefined if it is outside the root. Throws the system's error. */
export function realPathInside(root: string, path: string): string | undefined {
  const full = join(root, path);
  const real = realpathSync.native(full);
  return real === full || real.startsWith(join(realpathSync.native(root), sep)) ? real : undefined;
}

/**
 * Opens an input, which must be a plain file below the root (links are followed). Devices, pipes and files elsewhere are never opened: the
 * path is checked first, and the open file is compared with the result. Throws `InputError`.
 * @param read receives the file descriptor and its stat data
 */
export function withInput<T>(root: string, file: string, read: (opened: number, stats: Stats) => T): T {
  try {
    return readAndClose(openInput(root, file), read);
  } catch (cause) {
    throw refusal(file, cause);
  }
}

/** Yields the bytes of an input of any length in chunks, with the same checks. Throws `InputError`. */
export async function* inputChunks(root: string, file: string, chunkBytes: number): AsyncGenerator<Buffer> {
  try {
    const stream = createReadStream('', {fd: openInput(root, file), highWaterMark: chunkBytes});
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (cause) {
    throw refusal(file, cause);
  }
}

function openInput(root: string, file: string): number {
  const real = realPathInside(root, file);
  if (real === undefined) throw new InputError({code: 'FZ210', file, rule: LEADS_OUT});
  const seen = statSync(real);
  if (seen.isDirectory()) throw new InputError({code: 'FZ210', file, rule: 'is a folder, not a file'});
  if (!seen.isFile()) throw new InputError({code: 'FZ210', file, rule: 'is not a regular file'});
  const number = open(real);
  const isSame = isSameFile(seen, fstatSync(number)) && realPathInside(root, file) === real;
  if (isSame && !isLfsPointer(number, seen.size)) return number;
  closeSync(number);
  if (!isSame) throw new InputError({code: 'FZ402', file, rule: 'changed while it was read'});
  const rule = 'is a Git LFS pointer: its content was not downloaded';
  throw new InputError({code: 'FZ201', file, rule, fix: 'Run `git lfs pull`.'});
}

function isLfsPointer(number: number, size: number): boolean {
  if (size >= LFS_BYTES) return false;
  const start = Buffer.alloc(LFS_START.length);
  readSync(number, start, 0, start.length, 0);
  return start.equals(LFS_START);
}

/** Converts an error of the system to an `InputError` about the file. Returns any other error unchanged. */
function refusal(file: string, cause: unknown): unknown {
  const {code} = cause as NodeJS.ErrnoException;
  if (cause instanceof InputError || code === undefined) return cause;
  const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
  const fault: Fault = isMissing
    ? {code: 'FZ201', file, rule: 'does not exist'}
    : {code: 'FZ401', file, rule: `cannot be read (${code})`};
  return new InputError(fault, {cause});
}

const MIB = 2 ** 20;

/** Returns the bytes of an input. Throws `InputError` if it is not a plain file, or longer than `most` bytes (a multiple of 1 MiB). */
export function readInput(root: string, file: string, most: number): Buffer {
  return withInput(root, file, (number, {size}) => {
    if (size <= most) return readBytes(number, size);
    throw new InputError({code: 'FZ109', file, rule: `has ${size} bytes, and may have at most ${most / MIB} MiB`});
  });
}

/** Reads at most `size` bytes, even if the file grows. */
function readBytes(number: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  for (let read; length < size && (read = readSync(number, bytes, length, size - length, null)) > 0;) length += read;
  return bytes.subarray(0, length);
}

/** Opens a file whose path was checked. */
export function opened<T>(path: string, read: (number: number, stats: Stats) => T): T {
  return readAndClose(open(path), read);
}

function readAndClose<T>(number: number, read: (number: number, stats: Stats) => T): T {
  try {
    return read(number, fstatSync(number));
  } finally {
    closeSync(number);
  }
}

/** Non-blocking, so that a pipe that has just replaced the file does not block the program. */
function open(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

function isSameFile(one: Stats, other: Stats): boolean {
  return other.isFile() && one.dev === other.dev && one.ino === other.ino;
}

/** Converts an error of the system to an `InputError`, because a disk error is not a bug. Returns any other error unchanged. */
export function systemFault(root: string, cause: unknown, done: 'read' | 'written'): unknown {
  const {code, path, dest, syscall} = cause as NodeJS.ErrnoException & {dest?: string};
  // A missing current folder is not a file of the site.
  if (code === undefined || syscall === undefined || syscall === 'uv_cwd') return cause;
  const file = relative(root, dest ?? path ?? join(root, 'public'));
  if (file.startsWith('..') || isAbsolute(file)) return cause;
  return new InputError({code: 'FZ401', file, rule: `cannot be ${done} (${code})`}, {cause, final: done === 'written'});
}

/** Calls `read` and converts errors of the system to `InputError`. */
export async function reading<T>(root: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw systemFault(root, cause, 'read');
  }
}
