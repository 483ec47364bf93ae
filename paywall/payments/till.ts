import type {Ledger} from '../ledger/ledger.ts';
import type {Sale} from '../ledger/sale.ts';
import type {Chain} from './chain.ts';
import type {Facilitator} from './facilitator.ts';
import type {Observer} from './observer.ts';
import type {Recover} from './signature.ts';
import type {UnderWay} from './under-way.ts';

/** What takes the money, the same for all paid paths and for all builds that a gate serves. */
export interface Till {
  readonly facilitator: Facilitator;
  readonly ledger: Ledger;
  /** A node of the chain: the only one who knows what became of a settlement whose answer was lost. */
  readonly chain?: Chain | undefined;
  readonly recover: Recover;
  readonly observer?: Observer | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Buyers who wait for a sale of theirs that another request has in hand. */
  readonly waiting: UnderWay;
  /** Whether this host learns that a buyer has hung up. Where it does not, what was sent is owed for another minute. */
  readonly knowsHangUps: boolean;
  /** For how many milliseconds a buyer waits for a settlement. */
  readonly patienceMs: number;
  /** Keeps the host from ending before the promise does; a Worker's `waitUntil`. */
  readonly keepAlive: (work: Promise<unknown>) => void;
}

/** How long a document that was paid for is owed, in milliseconds. */
const OWED_MS = 24 * 3600 * 1000;

/** For how long a document that has left is owed all the same, where nobody knows whether it arrived. */
const ARRIVING_MS = 60_000;

/** Whether its document has left, so long ago that its buyer would have asked again. */
export function hasArrived({deliveredAt, readAt}: Sale): boolean {
  return deliveredAt !== null && readAt - deliveredAt > ARRIVING_MS;
}

/** Whether its document is owed no more, for too long has passed or the money was paid back. False of a sale that is not settled. */
export function isOwedNoMore({settledAt, refund, readAt}: Sale): boolean {
  return settledAt !== null && (refund !== null || readAt - settledAt > OWED_MS);
}

/** How long buyers wait for a settlement, in milliseconds. With the verification before it, an answer takes less than 35 seconds. */
export const PATIENCE_MS = 30_000;

/** Why there is no document now, though nothing is wrong with the payment. */
export type Delay =
  /** Nothing has been charged. */
  | 'unavailable'
  /** Another request has the same sale in hand, or has just had it. */
  | 'in_flight'
  /** The money may have moved. */
  | 'unknown';

export const UNAVAILABLE = {kind: 'delayed', delay: 'unavailable'} as const;
export const IN_FLIGHT = {kind: 'delayed', delay: 'in_flight'} as const;

export const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

/** What the work gives, or undefined where it takes longer. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<undefined>(resolve => (timer = setTimeout(resolve, ms, undefined)));
  try {
    return await Promise.race([work, patience]);
  } finally {
    clearTimeout(timer);
  }
}
