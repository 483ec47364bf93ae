import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';

/** Starts the gate of a site without purchases, so it has no facilitator. */
export function openShop(root: string): Promise<Listening> {
  return startGate(root, 'http://127.0.0.1:9');
}
