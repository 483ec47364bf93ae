import {createHash} from 'node:crypto';
import {lstatSync, readFileSync, readSync, statSync} from 'node:fs';
import {ifReadable} from '../../shared/if-readable.ts';
import {opened} from './plain-file.ts';

/** Inode, size in bytes, and the times of the last change of content and of attributes, in milliseconds. */
type Stamp = readonly [inode: number, size: number, mtime: number, ctime: number];

/** The recorded state of a file. As in the index of git, a later change changes the stamp. */
export interface KnownFile {
  /** From the root. */
  readonly path: string;
  /** Undefined if the state is not known. Then the file counts as changed. */
  readonly stamp?: Stamp | undefined;
}

/** Records the state of an input before it is read, following links. */
export function knownInput(root: string, path: string): KnownFile {
  return {path, stamp: stampOf(root, path, statSync)};
}

/** Records the current state of an output, which is not a link. */
export function knownOutput(root: string, path: string): KnownFile {
  return {path, stamp: stampOf(root, path, lstatSync)};
}

/** True if an input, or the target of the link, is unchanged. */
export function isSameInput(root: string, known: KnownFile): boolean {
  return isSame(known, stampOf(root, known.path, statSync));
}

/** True if an output is unchanged. A link in its place counts as a change. */
export function isSameOutput(root: string, known: KnownFile): boolean {
  return isSame(known, stampOf(root, known.path, lstatSync));
}

/**
 * Returns the file without its stamp if its times are too recent: the clock of a disk is coarse, and a later change within the same tick
 * leaves them unchanged.
 * @param mtimeCutoff a disk time: times at or after it are too recent
 */
export function unlessRecent({path, stamp}: KnownFile, mtimeCutoff: number): KnownFile {
  const [, , mtime = Infinity, ctime = Infinity] = stamp ?? [];
  return Math.max(mtime, ctime) >= mtimeCutoff ? {path} : {path, stamp};
}

function isSame({stamp}: KnownFile, now: Stamp | undefined): boolean {
  return now !== undefined && stamp !== undefined && stamp.every((value, index) => value === now[index]);
}

/** Undefined if the path is not a file that can be read. */
function stampOf(root: string, path: string, stat: typeof statSync): Stamp | undefined {
  const found = ifReadable(() => stat(`${root}/${path}`, {throwIfNoEntry: false}));
  return found?.isFile() ? [found.ino, found.size, found.mtimeMs, found.ctimeMs] : undefined;
}

/** Returns the lower-case hex SHA-256 of a plain file. Throws the system's error if it cannot be read. */
export function fileDigest(path: string): string {
  return opened(path, file => {
    const buffer = Buffer.allocUnsafe(1 << 16);
    const digest = createHash('sha256');
    for (let bytes; (bytes = readSync(file, buffer)) > 0;) digest.update(buffer.subarray(0, bytes));
    return digest.digest('hex');
  });
}

/** Returns the bytes of a plain file that this program wrote. Throws Node's error if it cannot be read or is too long. */
export function readNow(path: string): Buffer {
  return opened(path, file => readFileSync(file));
}
