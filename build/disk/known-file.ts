import {lstatSync, statSync, type Stats} from 'node:fs';
import {join} from 'node:path';
import {fileDigest} from './file-digest.ts';
import {ifReadable} from './if-readable.ts';

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
export function knownOutput<T extends {readonly path: string; readonly sha256: string}>(
  root: string,
  output: T,
  moment: number,
): T & KnownFile {
  const found = lstatSync(join(root, output.path), {throwIfNoEntry: false});
  return !found?.isFile() || isYoung(found, moment) ? output : {...output, stamp: stampOf(found)};
}

/** Whether an input, or what a link in its place leads to, is as it was known. */
export function isSameInput(root: string, known: KnownFile): boolean {
  const file = join(root, known.path);
  return isSame(
    file,
    ifReadable(() => statSync(file, {throwIfNoEntry: false})),
    known,
  );
}

/** Whether an output is as it was known. */
export function isSameOutput(root: string, known: KnownFile): boolean {
  const file = join(root, known.path);
  return isSame(
    file,
    ifReadable(() => lstatSync(file, {throwIfNoEntry: false})),
    known,
  );
}

function isSame(file: string, found: Stats | undefined, {stamp, sha256}: KnownFile): boolean {
  if (!found?.isFile()) return false;
  return stamp === undefined
    ? sha256 !== undefined && ifReadable(() => fileDigest(file)) === sha256
    : stampOf(found) === stamp;
}

function isYoung({mtimeMs, ctimeMs}: Stats, moment: number): boolean {
  return Math.max(mtimeMs, ctimeMs) >= moment;
}

function stampOf({ino, size, mtimeMs, ctimeMs}: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
