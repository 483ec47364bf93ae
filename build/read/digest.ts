import {createHash} from 'node:crypto';
import {readFileSync, statSync} from 'node:fs';
import {open} from 'node:fs/promises';
import {join} from 'node:path';
import {InputError, refuse} from '../../shared/fault.ts';
import type {Freeze} from './freezes.ts';

/** The files of a freeze, and what their bytes must be. */
export type Digested = Pick<Freeze, 'source' | 'date' | 'folder' | 'descriptor' | 'files' | 'bytes' | 'sha256'>;

/** Told how many further bytes were read. */
export type OnBytes = (bytes: number) => void;

/** What the bytes of a freeze's files are, as they stand. */
export interface Seen {
  /** Lower-case hex SHA-256 over all of them, in order. */
  readonly sha256: string;
  /** Whether any of them is a quotation mark. */
  readonly quoted: boolean;
}

/** Longer files are read in chunks, between which this thread does other work. */
const LONG = 16 << 20;
const CHUNK_BYTES = 1 << 20;

/**
 * Reads the files of a freeze and compares size and SHA-256 with its descriptor. Throws `InputError` where they differ, or
 * where a file changed while it was read.
 */
export async function checkDigest(root: string, freeze: Digested, onBytes: OnBytes): Promise<Seen> {
  const paths = freeze.files.map(file => join(root, file));
  const before = paths.map(stampOf);
  const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
  const seen = await seenIn(paths, onBytes);
  refuse(
    freeze.files
      .filter((_, index) => stampOf(paths[index] ?? '') !== before[index])
      .map(file => ({file, rule: 'changed while it was read'})),
  );
  const [file = freeze.folder] = freeze.files;
  if (bytes !== freeze.bytes) {
    throw new InputError({
      file,
      field: 'size',
      value: bytes,
      rule: `is not the ${freeze.bytes} bytes of ${freeze.descriptor}: a freeze is never edited`,
    });
  }
  if (seen.sha256 !== freeze.sha256) {
    throw new InputError({
      file,
      field: 'sha256',
      value: seen.sha256,
      rule: `is not the hash in ${freeze.descriptor}: a freeze is never edited`,
    });
  }
  return seen;
}

/** What no change of a file leaves as it was; undefined where there is none. */
export function stampOf(path: string): string | undefined {
  const found = statSync(path, {bigint: true, throwIfNoEntry: false});
  return found && [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
}

async function seenIn(paths: readonly string[], onBytes: OnBytes): Promise<Seen> {
  const hash = createHash('sha256');
  let quoted = false;
  for (const path of paths) {
    for await (const chunk of chunksIn(path)) {
      hash.update(chunk);
      quoted ||= chunk.includes('"');
      onBytes(chunk.length);
    }
  }
  return {sha256: hash.digest('hex'), quoted};
}

/** The bytes of a file; a chunk is good until the next is asked for. */
async function* chunksIn(path: string): AsyncGenerator<Buffer> {
  if (statSync(path).size < LONG) {
    yield readFileSync(path);
    return;
  }
  const file = await open(path);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    for (;;) {
      const {bytesRead} = await file.read(buffer);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
