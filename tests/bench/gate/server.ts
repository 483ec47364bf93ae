// One server a process, so that the load generator and the others do not share its core and its memory is its own.
import {startGate} from '../../../scripts/local-chain/gate.ts';
import {listen} from '../../../scripts/local-chain/listen.ts';
import {bareFiles, bareTaggedFiles, bareX402} from './bare.ts';

export type Kind = 'gate' | 'files' | 'tagged' | 'x402';

const [kind, root = '', facilitatorUrl = ''] = process.argv.slice(2) as [Kind, ...string[]];
const {url} = await start(kind);
process.stdout.write(`${url}\n`);

async function start(kind: Kind) {
  switch (kind) {
    case 'gate':
      return startGate(root, facilitatorUrl);
    case 'files':
      return listen(bareFiles(root));
    case 'tagged':
      return listen(bareTaggedFiles(root));
    case 'x402':
      return listen(await bareX402(root, facilitatorUrl));
  }
}
