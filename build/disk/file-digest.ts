import {createHash, hash} from 'node:crypto';
import {closeSync, constants, openSync, readFileSync, readSync} from 'node:fs';

/** Most files are no longer, and are read into the same memory. */
const buffer = Buffer.allocUnsafe(1 << 18);

/** Not even a pipe that stands in a file's place is waited for. */
const NON_BLOCKING = constants.O_RDONLY | constants.O_NONBLOCK;

/** Lower-case hex SHA-256 of a file. Throws the system's error where it cannot be read. */
export function fileDigest(path: string): string {
  const file = openSync(path, NON_BLOCKING);
  try {
    let bytes = readSync(file, buffer, 0, buffer.length, 0);
    if (bytes < buffer.length) return hash('sha256', buffer.subarray(0, bytes));
    const digest = createHash('sha256');
    for (let at = 0; bytes > 0; bytes = readSync(file, buffer, 0, buffer.length, at)) {
      digest.update(buffer.subarray(0, bytes));
      at += bytes;
    }
    return digest.digest('hex');
  } finally {
    closeSync(file);
  }
}

/** The text of a file that has this digest; nothing where it has another. Throws the error of Node where it cannot be read. */
export function textWith(sha256: string, path: string): string | undefined {
  const bytes = readNow(path);
  return hash('sha256', bytes) === sha256 ? bytes.toString('utf8') : undefined;
}

/** The bytes of a file. Throws the error of Node where it cannot be read, or is too long. */
export function readNow(path: string): Buffer {
  const file = openSync(path, NON_BLOCKING);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
