// One server a process, so that the load generator and the others do not share its core and its memory is its own.
// Started by `serving.ts`, and gone when that process is.
import {startGate} from '../demo/gate.ts';
import {listen} from '../demo/listen.ts';
import {bareFiles, bareX402} from './bare.ts';

export type Kind = 'gate' | 'files' | 'x402';

/** What the process has used so far. */
export interface Usage {
  /** Microseconds of processor time. */
  readonly cpu: number;
  /** Bytes, after a garbage collection. */
  readonly heap: number;
  readonly resident: number;
}

const [kind, root = '', facilitatorUrl = ''] = process.argv.slice(2) as [Kind, ...string[]];

process.on('disconnect', () => process.exit());
process.on('message', () => {
  const {user, system} = process.cpuUsage();
  globalThis.gc?.();
  const {heapUsed: heap, rss: resident} = process.memoryUsage();
  process.send?.({cpu: user + system, heap, resident} satisfies Usage);
});
const {url} = await start(kind);
process.send?.(url);

async function start(kind: Kind) {
  switch (kind) {
    case 'gate':
      return startGate(root, facilitatorUrl);
    case 'files':
      return listen(bareFiles(root));
    case 'x402':
      return listen(await bareX402(root, facilitatorUrl));
  }
}
