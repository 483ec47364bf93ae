import {createHash} from 'node:crypto';
import {lstatSync, readFileSync, readSync, statSync, type Stats} from 'node:fs';
import {join} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {opened, withInput} from './plain-file.ts';

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
 * An input as it is before it is read; a link is what it leads to. Nothing is known of what must not be read.
 *
 * @param moment when, by the disk's clock, times are too young
 */
export function knownInput(root: string, path: string, moment: number): KnownFile {
  const file = join(root, path);
  const found = ifReadable(() => statSync(file, {throwIfNoEntry: false}));
  if (!found?.isFile()) return {path};
  return isYoung(found, moment) ? {path, sha256: inputDigest(root, path)} : {path, stamp: stampOf(found)};
}

/** An output, which is no link, as it stands. */
export function knownOutput<T extends KnownFile>(root: string, output: T, moment: number): T & KnownFile {
  const found = lstatSync(join(root, output.path), {throwIfNoEntry: false});
  return !found?.isFile() || isYoung(found, moment) ? output : {...output, stamp: stampOf(found)};
}

/** Whether an input, or what a link in its place leads to, is as it was known. */
export function isSameInput(root: string, known: KnownFile): boolean {
  return isSame(root, known, statSync, inputDigest);
}

/** Whether an output is as it was known. */
export function isSameOutput(root: string, known: KnownFile): boolean {
  return isSame(root, known, lstatSync, outputDigest);
}

function isSame(
  root: string,
  {path, stamp, sha256}: KnownFile,
  stat: typeof statSync,
  digest: (root: string, path: string) => string | undefined,
): boolean {
  const file = join(root, path);
  const found = ifReadable(() => stat(file, {throwIfNoEntry: false}));
  if (!found?.isFile()) return false;
  if (stamp !== undefined) return stampOf(found) === stamp;
  return sha256 !== undefined && digest(root, path) === sha256;
}

function isYoung({mtimeMs, ctimeMs}: Stats, moment: number): boolean {
  return Math.max(mtimeMs, ctimeMs) >= moment;
}

function stampOf({ino, size, mtimeMs, ctimeMs}: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

function inputDigest(root: string, path: string): string | undefined {
  try {
    return withInput(root, path, digestOfOpen);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return undefined;
  }
}

function outputDigest(root: string, path: string): string | undefined {
  return ifReadable(() => fileDigest(join(root, path)));
}

/** Lower-case hex SHA-256 of a plain file. Throws the system's error where it cannot be read. */
export function fileDigest(path: string): string {
  return opened(path, digestOfOpen);
}

function digestOfOpen(file: number): string {
  const buffer = Buffer.allocUnsafe(1 << 16);
  const digest = createHash('sha256');
  for (let bytes; (bytes = readSync(file, buffer)) > 0;) digest.update(buffer.subarray(0, bytes));
  return digest.digest('hex');
}

/** The bytes of a plain file of our own. Throws the error of Node where it cannot be read, or is too long. */
export function readNow(path: string): Buffer {
  return opened(path, file => readFileSync(file));
}
