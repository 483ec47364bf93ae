import {writeFileSync} from 'node:fs';
import {parentPort, workerData as done} from 'node:worker_threads';

// Writes files in a thread of its own, until it is told that there are no more. It counts the batches that it is done with.

const ALL = 2 ** 30;

parentPort.on('message', batch => {
  if (batch === 'end') {
    parentPort.close();
    return;
  }
  try {
    for (const [path, text] of batch) writeFileSync(path, text);
    Atomics.add(done, 0, 1);
  } catch (error) {
    // Nobody is to wait for what will not be written.
    Atomics.store(done, 0, ALL);
    throw error;
  } finally {
    Atomics.notify(done, 0);
  }
});
