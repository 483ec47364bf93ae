import {createHash} from 'node:crypto';
import {closeSync, openSync, readSync} from 'node:fs';
import {constants, setPriority} from 'node:os';
import {parentPort, workerData} from 'node:worker_threads';

// Hashes files in a thread of its own: posts how many further bytes were read, in the end what it has seen.

const CHUNK_BYTES = 1 << 20;

// On Linux a thread has a priority of its own. All wait for the database first, and for this last.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const hash = createHash('sha256');
let quoted = false;
const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
for (const path of workerData) {
  const file = openSync(path);
  for (let bytes = 1; bytes > 0;) {
    bytes = readSync(file, buffer);
    const chunk = buffer.subarray(0, bytes);
    hash.update(chunk);
    quoted ||= chunk.includes('"');
    parentPort.postMessage(bytes);
  }
  closeSync(file);
}
parentPort.postMessage({sha256: hash.digest('hex'), quoted});
