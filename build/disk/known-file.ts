import {createHash} from 'node:crypto';
import {lstatSync, readFileSync, readSync, statSync, type Stats} from 'node:fs';
import {join} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {opened, withInput} from './plain-file.ts';

/** Inode, size in bytes, and the times of the last change of content and of attributes, in milliseconds. */
type Stamp = readonly [inode: number, size: number, mtime: number, ctime: number];

/**
 * The recorded state of a file. As in the index of git, a later change changes the stamp. If the file's times are too recent for that, the
 * SHA-256 is recorded instead: the clock of a disk is coarse, and a change within the same tick leaves the times unchanged.
 */
export interface KnownFile {
  /** From the root. */
  readonly path: string;
  readonly stamp?: Stamp | undefined;
  readonly sha256?: string | undefined;
}

/**
 * Records the state of an input before it is read, following links. Records only the path if the file cannot be read.
 * @param mtimeCutoff the disk time from which on times are too recent
 */
export function knownInput(root: string, path: string, mtimeCutoff: number): KnownFile {
  const file = join(root, path);
  const found = ifReadable(() => statSync(file, {throwIfNoEntry: false}));
  if (!found?.isFile()) return {path};
  return isTooRecent(found, mtimeCutoff) ? {path, sha256: inputDigest(root, path)} : {path, stamp: stampOf(found)};
}

/** Records the current state of an output, which is not a link. */
export function knownOutput(root: string, output: KnownFile, mtimeCutoff: number): KnownFile {
  const found = lstatSync(join(root, output.path), {throwIfNoEntry: false});
  return !found?.isFile() || isTooRecent(found, mtimeCutoff) ? output : {...output, stamp: stampOf(found)};
}

/** True if an input, or the target of the link, is unchanged. */
export function isSameInput(root: string, known: KnownFile): boolean {
  return isSame(root, known, statSync, inputDigest);
}

export function isSameOutput(root: string, known: KnownFile): boolean {
  return isSame(root, known, lstatSync, outputDigest);
}

function isSame(
  root: string,
  {path, stamp, sha256}: KnownFile,
  stat: typeof statSync,
  digest: (root: string, path: string) => string | undefined,
): boolean {
  const file = `${root}/${path}`;
  const found = ifReadable(() => stat(file, {throwIfNoEntry: false}));
  if (!found?.isFile()) return false;
  if (stamp) return stampOf(found).every((value, index) => value === stamp[index]);
  return sha256 !== undefined && digest(root, path) === sha256;
}

function isTooRecent({mtimeMs, ctimeMs}: Stats, mtimeCutoff: number): boolean {
  return Math.max(mtimeMs, ctimeMs) >= mtimeCutoff;
}

function stampOf({ino, size, mtimeMs, ctimeMs}: Stats): Stamp {
  return [ino, size, mtimeMs, ctimeMs];
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

/** Returns the lower-case hex SHA-256 of a plain file. Throws the system's error if it cannot be read. */
export function fileDigest(path: string): string {
  return opened(path, digestOfOpen);
}

function digestOfOpen(file: number): string {
  const buffer = Buffer.allocUnsafe(1 << 16);
  const digest = createHash('sha256');
  for (let bytes; (bytes = readSync(file, buffer)) > 0;) digest.update(buffer.subarray(0, bytes));
  return digest.digest('hex');
}

/** Returns the bytes of a plain file that this program wrote. Throws Node's error if it cannot be read or is too long. */
export function readNow(path: string): Buffer {
  return opened(path, file => readFileSync(file));
}
