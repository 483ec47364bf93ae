import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';

/** The gate over a site where nobody will pay: no facilitator answers. */
export function openShop(root: string): Promise<Listening> {
  return startGate(root, 'http://127.0.0.1:9');
}
