import {resolve} from 'node:path';
import {startGate} from '../../scripts/demo/gate.ts';
import type {Listening} from '../../scripts/demo/listen.ts';

/** The project, whose `public/` is the demonstration site. */
export const PROJECT = resolve(import.meta.dirname, '../..');

/** The gate over a site where nobody will pay: no facilitator answers. */
export function openShop(root: string = PROJECT): Promise<Listening> {
  return startGate(root, 'http://127.0.0.1:9');
}
