import {createHash} from 'node:crypto';
import {lstatSync, readFileSync, readSync, statSync, type Stats} from 'node:fs';
import {join} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {opened, withInput} from './plain-file.ts';

/** Inode, size, and the times of the last change of content and of attributes, in milliseconds. */
type Stamp = readonly [inode: number, size: number, mtime: number, ctime: number];

/**
 * A file as it was. Every later change of it changes its stamp, as in the index of git. If its times were too recent for that, the SHA-256
 * is known instead: the clock of a disk ticks slowly, and a change within the same tick leaves the times unchanged.
 */
export interface KnownFile {
  /** From the root. */
  readonly path: string;
  readonly stamp?: Stamp | undefined;
  readonly sha256?: string | undefined;
}

/**
 * An input before it is read. A link is its target. Nothing is known of a file that must not be read.
 *
 * @param moment the time, by the clock of the disk, from which on times are too recent
 */
export function knownInput(root: string, path: string, moment: number): KnownFile {
  const file = join(root, path);
  const found = ifReadable(() => statSync(file, {throwIfNoEntry: false}));
  if (!found?.isFile()) return {path};
  return isYoung(found, moment) ? {path, sha256: inputDigest(root, path)} : {path, stamp: stampOf(found)};
}

/** An output, which is no link, as it is now. */
export function knownOutput<T extends KnownFile>(root: string, output: T, moment: number): T & KnownFile {
  const found = lstatSync(join(root, output.path), {throwIfNoEntry: false});
  return !found?.isFile() || isYoung(found, moment) ? output : {...output, stamp: stampOf(found)};
}

/** True if an input, or the target of a link in its place, is unchanged. */
export function isSameInput(root: string, known: KnownFile): boolean {
  return isSame(root, known, statSync, inputDigest);
}

/** True if an output is unchanged. */
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

function isYoung({mtimeMs, ctimeMs}: Stats, moment: number): boolean {
  return Math.max(mtimeMs, ctimeMs) >= moment;
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

/** Lower-case hex SHA-256 of a plain file. Throws the system's error if it cannot be read. */
export function fileDigest(path: string): string {
  return opened(path, digestOfOpen);
}

function digestOfOpen(file: number): string {
  const buffer = Buffer.allocUnsafe(1 << 16);
  const digest = createHash('sha256');
  for (let bytes; (bytes = readSync(file, buffer)) > 0;) digest.update(buffer.subarray(0, bytes));
  return digest.digest('hex');
}

/** The bytes of a plain file of our own. Throws the error of Node if it cannot be read, or is too long. */
export function readNow(path: string): Buffer {
  return opened(path, file => readFileSync(file));
}

/** Many known files in few values: as objects, they would take long to store and to read. */
export interface KnownFiles {
  /** Each with a NUL after it. */
  readonly paths: string;
  /** Four numbers for each file, which are NaN without a stamp. */
  readonly stamps: Float64Array;
  /** The SHA-256 of each file without a stamp, by its index. */
  readonly digests: ReadonlyMap<number, string>;
}

export function packed(files: readonly KnownFile[]): KnownFiles {
  const stamps = new Float64Array(4 * files.length).fill(NaN);
  const digests = new Map<number, string>();
  for (const [index, {stamp, sha256}] of files.entries()) {
    if (stamp) stamps.set(stamp, 4 * index);
    else if (sha256 !== undefined) digests.set(index, sha256);
  }
  return {paths: files.map(({path}) => `${path}\0`).join(''), stamps, digests};
}

export function pathsOf({paths}: KnownFiles): string[] {
  return paths.split('\0').slice(0, -1);
}

/** True if all of these files are unchanged, which are inputs or outputs. */
export function areSame(root: string, files: KnownFiles, isSame: typeof isSameInput): boolean {
  const {stamps, digests} = files;
  return pathsOf(files).every((path, index) => {
    const [inode = NaN, size = NaN, mtime = NaN, ctime = NaN] = [0, 1, 2, 3].map(part => stamps[4 * index + part]);
    const stamp = Number.isNaN(inode) ? undefined : ([inode, size, mtime, ctime] as const);
    return isSame(root, {path, stamp, sha256: digests.get(index)});
  });
}
