import {writeFileSync} from 'node:fs';
import {parentPort} from 'node:worker_threads';

// Writes files in a thread of its own, until it is told that there are no more.

parentPort.on('message', batch => {
  if (batch === 'end') parentPort.close();
  else for (const [path, text] of batch) writeFileSync(path, text);
});
