import type {Ledger} from '../ledger/ledger.ts';
import type {Sale} from '../ledger/sale.ts';
import type {Chain} from './chain/chain.ts';
import type {Facilitator} from './facilitator/facilitator.ts';
import type {Observer} from './facilitator/observer.ts';
import type {Recover} from './chain/signature.ts';
import type {ConcurrencyLimit} from '../../shared/concurrency-limit.ts';
import type {VerificationLimits} from './limits.ts';

/** The services that a purchase needs. They are shared by all paid paths and all builds that a gate serves. */
export interface PaymentServices {
  readonly facilitator: Facilitator;
  readonly ledger: Ledger;
  /** The gate's own node of the chain. It is required to resolve settlements without an answer and to check signatures of contract wallets. */
  readonly chain?: Chain | undefined;
  readonly recover: Recover;
  readonly observer?: Observer | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly verifications: VerificationLimits;
  /** Limits the requests that wait because another request is working on a sale of the same payer. */
  readonly waiting: ConcurrencyLimit<'client' | 'payer'>;
  /** Downloads of documents of former snapshots, until they are sent. */
  readonly downloads: ConcurrencyLimit<'client'>;
  /** How long a buyer waits for a settlement, in milliseconds. */
  readonly timeoutMs: number;
  /** Keeps the host alive until the promise settles, as `waitUntil` of a Worker does. */
  readonly keepAlive: (work: Promise<unknown>) => void;
}

/** How long a buyer who paid can collect a document that did not arrive, in milliseconds. */
const COLLECT_MS = 24 * 3600 * 1000;

/** How long a sent document can be collected if the host does not know whether it arrived: as long as most authorizations live. */
const ARRIVING_MS = 5 * 60_000;
/** A failed request is recorded only if the document was sent longer ago than this, so that a flood of requests causes few writes. */
const RECORD_AFTER_MS = 60_000;

/** True if the document was sent so long ago that its buyer would have requested it again. */
export function hasArrived(sale: Sale): boolean {
  return sentFor(sale) > ARRIVING_MS;
}

/** True if a request for a document that may not have arrived has to be recorded, because it cannot be answered now. */
export function isAwaited(sale: Sale): boolean {
  return sentFor(sale) > RECORD_AFTER_MS && !hasArrived(sale);
}

/** The time since a document was sent, in milliseconds; 0 if it was not. */
function sentFor({deliveredAt, readAt}: Sale): number {
  return deliveredAt === null ? 0 : readAt - deliveredAt;
}

/** True if the right to collect the document has expired or the money was refunded. False if the sale is not settled. */
export function isExpired({settledAt, refund, readAt}: Sale): boolean {
  return settledAt !== null && (refund !== null || readAt - settledAt > COLLECT_MS);
}

/** How long buyers wait for a settlement by default, in milliseconds. With the verification, a response takes less than 35 seconds. */
export const SETTLE_WAIT_MS = 30_000;

export const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

/** Resolves with the result of the work, or with undefined if the work takes longer. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<undefined>(resolve => (timer = setTimeout(resolve, ms, undefined)));
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
