import {joinChain, startChain, type Chain} from '../scripts/local-chain/chain.ts';

/** The chain that the suites of `npm run test:all` share, or one of its own for a file that runs alone. */
export function sharedChain(): Promise<Chain> {
  const rpcUrl = process.env['SHARED_CHAIN'];
  return rpcUrl === undefined ? startChain() : joinChain(rpcUrl);
}
