import {createHash} from 'node:crypto';
import {closeSync, constants, lstatSync, openSync, readFileSync, readSync, statSync, type Stats} from 'node:fs';
import {join} from 'node:path';
import {ifReadable} from '../../shared/if-readable.ts';

/**
 * A file as it was: inode, size and both times, as git keeps them in its index, tell every later change of it. Of a file whose times were
 * too young for that the SHA-256 is known instead: a disk's clock ticks slowly, and a change within the same tick leaves the times as
 * they are.
 */
export interface KnownFile {
  /** From the root. */
  readonly path: string;
  readonly stamp?: string | undefined;
  readonly sha256?: string | undefined;
}

/**
 * An input as it is before it is read; a link is what it leads to.
 *
 * @param moment when, by the disk's clock, times are too young
 */
export function knownInput(root: string, path: string, moment: number): KnownFile {
  const file = join(root, path);
  const found = ifReadable(() => statSync(file, {throwIfNoEntry: false}));
  if (!found?.isFile()) return {path};
  return isYoung(found, moment) ? {path, sha256: fileDigest(file)} : {path, stamp: stampOf(found)};
}

/** An output, which is no link, as it stands. */
export function knownOutput<T extends KnownFile>(root: string, output: T, moment: number): T & KnownFile {
  const found = lstatSync(join(root, output.path), {throwIfNoEntry: false});
  return !found?.isFile() || isYoung(found, moment) ? output : {...output, stamp: stampOf(found)};
}

/** Whether an input, or what a link in its place leads to, is as it was known. */
export function isSameInput(root: string, known: KnownFile): boolean {
  return isSame(root, known, statSync);
}

/** Whether an output is as it was known. */
export function isSameOutput(root: string, known: KnownFile): boolean {
  return isSame(root, known, lstatSync);
}

function isSame(root: string, {path, stamp, sha256}: KnownFile, stat: typeof statSync): boolean {
  const file = join(root, path);
  const found = ifReadable(() => stat(file, {throwIfNoEntry: false}));
  if (!found?.isFile()) return false;
  if (stamp !== undefined) return stampOf(found) === stamp;
  return sha256 !== undefined && ifReadable(() => fileDigest(file)) === sha256;
}

function isYoung({mtimeMs, ctimeMs}: Stats, moment: number): boolean {
  return Math.max(mtimeMs, ctimeMs) >= moment;
}

function stampOf({ino, size, mtimeMs, ctimeMs}: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** Lower-case hex SHA-256 of a file. Throws the system's error where it cannot be read. */
export function fileDigest(path: string): string {
  return opened(path, file => {
    const buffer = Buffer.allocUnsafe(1 << 16);
    const digest = createHash('sha256');
    for (let bytes; (bytes = readSync(file, buffer)) > 0;) digest.update(buffer.subarray(0, bytes));
    return digest.digest('hex');
  });
}

/** The bytes of a file. Throws the error of Node where it cannot be read, or is too long. */
export function readNow(path: string): Buffer {
  return opened(path, file => readFileSync(file));
}

/** Not even a pipe that stands in a file's place is waited for. */
function opened<T>(path: string, read: (file: number) => T): T {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}
