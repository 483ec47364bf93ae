import type {Ledger} from '../ledger/ledger.ts';
import {watched} from '../ledger/watched.ts';
import {chainAt} from './chain.ts';
import type {Facilitator, OnTrouble} from './facilitator.ts';
import type {Observer} from './observer.ts';
import {PATIENCE_MS, type Till} from './till.ts';
import type {Recover} from './signature.ts';
import {UnderWay} from './under-way.ts';
import {wordsOf} from './words.ts';

/** Buyers who wait for another request, each of whom looks into the ledger every second, and those of one payer among them. */
const MOST_WAITING = 256;
const MOST_OF_ONE_PAYER = 12;

export interface TillOptions {
  readonly ledger: Ledger;
  readonly facilitator: Facilitator;
  /** A node of the chain, without which a settlement whose answer was lost is the facilitator's word. */
  readonly rpcUrl?: string | undefined;
  readonly recover: Recover;
  readonly keepAlive: Till['keepAlive'];
  readonly knowsHangUps?: boolean;
  readonly patienceMs?: number | undefined;
  readonly onTrouble?: OnTrouble | undefined;
  readonly observer?: Observer | undefined;
}

/** What takes the money, on every host. */
export function openTill({ledger, facilitator, rpcUrl, onTrouble = () => undefined, ...options}: TillOptions): Till {
  return {
    facilitator,
    ledger: watched(ledger, error => {
      onTrouble(`The ledger cannot be used, so nothing is sold: ${wordsOf(error)}`);
    }),
    chain: rpcUrl === undefined ? undefined : chainAt(rpcUrl, onTrouble),
    recover: options.recover,
    observer: options.observer,
    clock: Date.now,
    waiting: new UnderWay(MOST_WAITING, MOST_OF_ONE_PAYER),
    knowsHangUps: options.knowsHangUps ?? true,
    patienceMs: options.patienceMs ?? PATIENCE_MS,
    keepAlive: options.keepAlive,
  };
}
