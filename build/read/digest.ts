import {createHash} from 'node:crypto';
import {open} from 'node:fs/promises';
import {join} from 'node:path';
import {InputError} from '../fault.ts';
import type {Freeze} from './freezes.ts';

/** The files of a freeze, and what their bytes must be. */
export type Digested = Pick<Freeze, 'source' | 'date' | 'folder' | 'descriptor' | 'files' | 'bytes' | 'sha256'>;

/** Told how many further bytes were read. */
export type OnBytes = (bytes: number) => void;

const CHUNK_BYTES = 1 << 20;

/**
 * Reads the files of a freeze and compares size and SHA-256 with its descriptor. Throws `InputError` where they differ, or
 * where a file changed while it was read.
 */
export async function checkDigest(root: string, freeze: Digested, onBytes: OnBytes): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const file of freeze.files) {
    await readChunks(join(root, file), file, chunk => {
      hash.update(chunk);
      bytes += chunk.length;
      onBytes(chunk.length);
    });
  }
  const sha256 = hash.digest('hex');
  const [file = freeze.folder] = freeze.files;
  if (bytes !== freeze.bytes) {
    throw new InputError({
      file,
      field: 'size',
      value: bytes,
      rule: `is not the ${freeze.bytes} bytes of ${freeze.descriptor}: a freeze is never edited`,
    });
  }
  if (sha256 !== freeze.sha256) {
    throw new InputError({
      file,
      field: 'sha256',
      value: sha256,
      rule: `is not the hash in ${freeze.descriptor}: a freeze is never edited`,
    });
  }
}

async function readChunks(path: string, file: string, onChunk: (chunk: Uint8Array) => void): Promise<void> {
  await using handle = await open(path);
  const before = await handle.stat();
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const {bytesRead} = await handle.read(buffer, 0, CHUNK_BYTES);
    if (bytesRead === 0) break;
    onChunk(buffer.subarray(0, bytesRead));
  }
  const after = await handle.stat();
  if (before.mtimeMs !== after.mtimeMs || before.size !== after.size)
    throw new InputError({file, rule: 'changed while it was read'});
}
