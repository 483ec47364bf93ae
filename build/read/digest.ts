import {createHash} from 'node:crypto';
import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {Worker} from 'node:worker_threads';
import {InputError, refuse, type Fault} from '../../shared/fault.ts';
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

/** Shorter files are hashed before a thread has started. */
const LONG = 16 << 20;

/**
 * Reads the files of a freeze and compares size and SHA-256 with its descriptor. Throws `InputError` where they differ, or
 * where a file changed while it was read.
 */
export async function checkDigest(root: string, freeze: Digested, onBytes: OnBytes): Promise<Seen> {
  const paths = freeze.files.map(file => join(root, file));
  const before = paths.map(stampOf);
  const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
  const {sha256, quoted} = bytes < LONG ? seenIn(paths, onBytes) : await seenBeside(paths, onBytes);
  stamps.set(freeze, before);
  refuse(changeFaults(root, freeze));
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
  return {sha256, quoted};
}

/** Before the digest of a freeze was checked: of each file, what no change of it leaves as it was. */
const stamps = new WeakMap<Digested, readonly (string | undefined)[]>();

function stampOf(path: string): string | undefined {
  const found = statSync(path, {bigint: true, throwIfNoEntry: false});
  return found && [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
}

/** The files of a freeze that have changed since its digest was checked: their rows may have been read since. */
export function changeFaults(root: string, freeze: Digested): Fault[] {
  const before = stamps.get(freeze) ?? [];
  return freeze.files
    .filter((file, index) => stampOf(join(root, file)) !== before[index])
    .map(file => ({file, rule: 'changed while it was read'}));
}

/** Whether the files of a freeze can be read and have the bytes that its descriptor tells. */
export async function isFrozen(root: string, freeze: Digested, onBytes: OnBytes): Promise<boolean> {
  try {
    await checkDigest(root, freeze, onBytes);
    return true;
  } catch (error) {
    if (error instanceof InputError || (error as NodeJS.ErrnoException).syscall !== undefined) return false;
    throw error;
  }
}

function seenIn(paths: readonly string[], onBytes: OnBytes): Seen {
  const hash = createHash('sha256');
  let quoted = false;
  for (const path of paths) {
    const bytes = readFileSync(path);
    hash.update(bytes);
    quoted ||= bytes.includes('"');
    onBytes(bytes.length);
  }
  return {sha256: hash.digest('hex'), quoted};
}

/** Hashes in a thread beside this one, which reads rows meanwhile. */
function seenBeside(paths: readonly string[], onBytes: OnBytes): Promise<Seen> {
  const worker = new Worker(new URL('digest-worker.js', import.meta.url), {workerData: paths, execArgv: []});
  return new Promise((resolve, reject) => {
    worker.on('message', (message: number | Seen) => {
      if (typeof message === 'number') onBytes(message);
      else resolve(message);
    });
    worker.on('error', reject);
    worker.on('exit', code => {
      reject(new Error(`the digest of ${paths.join(', ')} ended early, with ${code}`));
    });
  });
}
