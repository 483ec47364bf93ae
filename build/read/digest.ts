import {createHash} from 'node:crypto';
import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {Worker} from 'node:worker_threads';
import {InputError} from '../fault.ts';
import type {Freeze} from './freezes.ts';

/** The files of a freeze, and what their bytes must be. */
export type Digested = Pick<Freeze, 'source' | 'date' | 'folder' | 'descriptor' | 'files' | 'bytes' | 'sha256'>;

/** Told how many further bytes were read. */
export type OnBytes = (bytes: number) => void;

/** Shorter files are hashed before a thread has started. */
const LONG = 16 << 20;

/**
 * Reads the files of a freeze and compares size and SHA-256 with its descriptor. Throws `InputError` where they differ, or
 * where a file changed while it was read.
 */
export async function checkDigest(root: string, freeze: Digested, onBytes: OnBytes): Promise<void> {
  const paths = freeze.files.map(file => join(root, file));
  const before = paths.map(path => statSync(path));
  const bytes = before.reduce((sum, {size}) => sum + size, 0);
  const sha256 = bytes < LONG ? hashed(paths, onBytes) : await hashedBeside(paths, onBytes);
  for (const [index, path] of paths.entries()) {
    const after = statSync(path);
    if (after.mtimeMs !== before[index]?.mtimeMs || after.size !== before[index].size)
      throw new InputError({file: freeze.files[index] ?? '', rule: 'changed while it was read'});
  }
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

function hashed(paths: readonly string[], onBytes: OnBytes): string {
  const hash = createHash('sha256');
  for (const path of paths) {
    const bytes = readFileSync(path);
    hash.update(bytes);
    onBytes(bytes.length);
  }
  return hash.digest('hex');
}

/** Hashes in a thread beside this one, which reads rows meanwhile. */
function hashedBeside(paths: readonly string[], onBytes: OnBytes): Promise<string> {
  const worker = new Worker(new URL('digest-worker.js', import.meta.url), {workerData: paths, execArgv: []});
  return new Promise((resolve, reject) => {
    worker.on('message', (message: number | string) => {
      if (typeof message === 'string') resolve(message);
      else onBytes(message);
    });
    worker.on('error', reject);
    worker.on('exit', code => {
      reject(new Error(`the digest of ${paths.join(', ')} ended early, with ${code}`));
    });
  });
}
