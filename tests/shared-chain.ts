import {joinChain, startChain, type LocalChain} from '../scripts/local-chain/chain.ts';

/** Returns the chain that the suites of `npm run test:all` share, or a new one for a file that runs separately. */
export function sharedChain(): Promise<LocalChain> {
  const rpcUrl = process.env['SHARED_CHAIN'];
  return rpcUrl === undefined ? startChain() : joinChain(rpcUrl);
}
