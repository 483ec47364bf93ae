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
import {join, sep} from 'node:path';
import {InputError} from '../../shared/fault.ts';

/** The rule that a link breaks when it leads out of the root. */
export const LEADS_OUT = "is a link that leads out of the site's folder";

/** How a Git LFS pointer starts: the few lines that git keeps in place of a file whose content is not downloaded. */
const LFS_START = Buffer.from('version https://git-lfs.github.com/spec/');
/** A pointer is shorter than this (Git LFS specification, "The Pointer"). */
const LFS_BYTES = 1024;

/** Where a path below the root really is, links followed; nothing where that is not below the root. Throws the system's error. */
export function realPathInside(root: string, path: string): string | undefined {
  const full = join(root, path);
  const real = realpathSync.native(full);
  return real === full || real.startsWith(join(realpathSync.native(root), sep)) ? real : undefined;
}

/**
 * Opens an input: a plain file below the root, links followed. Nothing else is ever opened, be it a device, a pipe or a file elsewhere:
 * a look at what is there comes first, and what was opened is compared with what was looked at. Throws `InputError`.
 *
 * @param read takes the number of the open file and its stat data
 */
export function withInput<T>(root: string, file: string, read: (opened: number, stats: Stats) => T): T {
  try {
    const number = openInput(root, file);
    try {
      return read(number, fstatSync(number));
    } finally {
      closeSync(number);
    }
  } catch (cause) {
    throw refusal(file, cause);
  }
}

/** The bytes of an input of any length, in chunks, opened in the same way. Throws `InputError`. */
export async function* inputChunks(root: string, file: string, chunkBytes: number): AsyncGenerator<Buffer> {
  try {
    const stream = createReadStream('', {fd: openInput(root, file), highWaterMark: chunkBytes});
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (cause) {
    throw refusal(file, cause);
  }
}

/** The number of an open file, which the caller closes. */
function openInput(root: string, file: string): number {
  const real = realPathInside(root, file);
  if (real === undefined) throw new InputError({file, rule: LEADS_OUT});
  const seen = statSync(real);
  if (seen.isDirectory()) throw new InputError({file, rule: 'is a folder, not a file'});
  if (!seen.isFile()) throw new InputError({file, rule: 'is not a plain file'});
  const number = open(real);
  const isSame = isSameFile(seen, fstatSync(number)) && realPathInside(root, file) === real;
  if (isSame && !isLfsPointer(number, seen.size)) return number;
  closeSync(number);
  const rule = 'is a Git LFS pointer, not the file that it stands for: run `git lfs pull`';
  throw new InputError({file, rule: isSame ? rule : 'changed while it was read'});
}

function isLfsPointer(number: number, size: number): boolean {
  if (size >= LFS_BYTES) return false;
  const start = Buffer.alloc(LFS_START.length);
  readSync(number, start, 0, start.length, 0);
  return start.equals(LFS_START);
}

/** The error of the system as an `InputError` about the file; an error that is not the system's is returned unchanged. */
function refusal(file: string, cause: unknown): unknown {
  const {code} = cause as NodeJS.ErrnoException;
  if (cause instanceof InputError || code === undefined) return cause;
  return new InputError({file, rule: READ_RULES[code] ?? `cannot be read (${code})`}, {cause});
}

const READ_RULES: Readonly<Record<string, string>> = {ENOENT: 'does not exist', ENOTDIR: 'does not exist'};

const MIB = 2 ** 20;

/** The bytes of an input. Throws `InputError` where it is not plain, not below the root, or longer than `most` bytes, which are whole MiB. */
export function readInput(root: string, file: string, most: number): Buffer {
  return withInput(root, file, (number, {size}) => {
    if (size <= most) return readBytes(number, size);
    throw new InputError({file, rule: `has ${size} bytes: such a file may have ${most / MIB} MiB`});
  });
}

/** No more than there were when it was opened, even where the file grows. */
function readBytes(number: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  for (let read; length < size && (read = readSync(number, bytes, length, size - length, null)) > 0;) length += read;
  return bytes.subarray(0, length);
}

/** Opens a file that was looked at. */
export function opened<T>(path: string, read: (number: number, stats: Stats) => T): T {
  const number = open(path);
  try {
    return read(number, fstatSync(number));
  } finally {
    closeSync(number);
  }
}

/** Not even a pipe that takes the place of a file at this moment is waited for. */
function open(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

function isSameFile(one: Stats, other: Stats): boolean {
  return other.isFile() && one.dev === other.dev && one.ino === other.ino;
}
