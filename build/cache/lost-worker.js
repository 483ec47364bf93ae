import {hash} from 'node:crypto';
import {closeSync, constants, openSync, readFileSync, readSync} from 'node:fs';
import {join} from 'node:path';
import {parentPort, workerData} from 'node:worker_threads';

// Reads files in a thread of its own, and posts the paths of those that have other digests, or cannot be read. Threads run JavaScript:
// what `fileDigest` does is done here once more.

const {root, files} = workerData;
const buffer = Buffer.allocUnsafe(1 << 18);
const lost = files.filter(([path, sha256]) => digestOf(join(root, path)) !== sha256);
parentPort.postMessage(lost.map(([path]) => path));

function digestOf(path) {
  let file;
  try {
    // Not even a pipe that stands in a file's place is waited for.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const bytes = readSync(file, buffer, 0, buffer.length, 0);
    return hash('sha256', bytes < buffer.length ? buffer.subarray(0, bytes) : readFileSync(path));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
