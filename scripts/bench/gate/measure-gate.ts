import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Address} from 'viem';
import {network, startChain} from '../demo/chain.ts';
import {startFacilitator} from '../demo/facilitator.ts';
import {offerBelow, readRules} from '../demo/offer.ts';
import {placeToken} from '../demo/token.ts';
import {compare, type Rate, type Rounds} from './load.ts';
import {memoryOver, type Sample} from './memory.ts';
import {buyInARow, type Purchases} from './purchases.ts';
import {serve} from './serving.ts';

/** How much is measured. */
export interface Extent extends Rounds {
  /** Requests over which memory is watched. */
  readonly requests: number;
  readonly purchases: number;
}

export const full: Extent = {rounds: 5, duration: 5, requests: 200_000, purchases: 1000};
export const quick: Extent = {rounds: 1, duration: 2, requests: 20_000, purchases: 50};

export interface GateFigures {
  readonly free: Readonly<Record<'gate' | 'files', Rate>>;
  readonly challenge: Readonly<Record<'gate' | 'x402', Rate>>;
  readonly memory: readonly Sample[];
  readonly purchases: Purchases;
}

/** Measures the gate beside its bare peers over the site below `root`, each server in a process of its own. */
export async function measureGate(root: string, extent: Extent, tell: (now: string) => void): Promise<GateFigures> {
  const {rule} = await offerBelow(root);
  tell('starting a chain, a facilitator and the servers');
  await using chain = await startChain();
  await placeToken(chain);
  await using facilitator = await startFacilitator(chain);
  await using gate = await serve('gate', root, facilitator.url);
  await using files = await serve('files', root, facilitator.url);
  await using x402 = await serve('x402', root, facilitator.url);

  tell('loading a free document');
  const free = await compare({gate, files}, rule.sample, 200, extent);
  tell('loading a challenge');
  const challenge = await compare({gate, x402}, rule.path, 402, extent);

  tell(`watching memory over ${extent.requests} requests`);
  const memory = await memoryOver(gate, rule.sample, rule.path, extent.requests);

  tell(`buying ${extent.purchases} documents`);
  const {payment} = await readRules(root);
  const payTo = payment.accepts.find(accepted => accepted.network === network)?.pay_to as Address;
  const document = await readFile(join(root, 'public', rule.path), 'utf8');
  const ware = {url: gate.url + rule.path, price: rule.price, payTo, document};
  const purchases = await buyInARow(chain, ware, extent.purchases);
  return {free, challenge, memory, purchases};
}
