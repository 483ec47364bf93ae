import type {Page} from '../../ledger/ledger.ts';
import type {Move, Sale, State} from '../../ledger/sale.ts';
import {isOverAt, MOST_AUTHORIZATIONS, type AuthorizationStatus} from '../../../shared/evm/authorization-status.ts';
import {Lease} from './lease.ts';
import {USED} from './settle.ts';
import {hasArrived, isExpired, type PaymentServices} from '../services.ts';

export interface ReconcileOptions {
  /** The minimum age of a settlement that is compared, in milliseconds: the node may be a few blocks behind. */
  readonly lagMs?: number;
  /** Stops the work between two sales. */
  readonly signal?: AbortSignal;
}

const LAG_MS = 60_000;
/**
 * The time after the expiry of its authorization, in milliseconds, after which a sale without an outcome on the chain becomes
 * indeterminate.
 */
const GIVEN_UP_AFTER_MS = 24 * 3_600_000;
const TAKEN_BACK = 'taken back by the chain';

/**
 * Compares the ledger with the chain, for all sales whose outcome is not final: resolves sales without further requests, and finds those
 * that a reorganisation of the chain reverted. Charges nothing. Rejects if the ledger cannot be used.
 */
export async function reconcile(
  services: PaymentServices,
  {lagMs = LAG_MS, signal}: ReconcileOptions = {},
): Promise<void> {
  const conditions: Omit<Page, 'limit' | 'after'>[] = [
    {states: ['pending', 'settled', 'indeterminate']},
    // Only a node of the chain knows whether it has taken a transaction back, or has mined one that a facilitator denied.
    ...(services.chain ? [{states: ['delivered', 'expired', 'unpaid', 'declined'] as const, notFinal: true}] : []),
  ];
  for (const condition of conditions)
    for await (const page of pagesOf(condition, services)) {
      const sales = page.filter(sale => isDue(sale, lagMs));
      if (signal?.aborted) return;
      const since = Math.min(...sales.map(({startedAt}) => startedAt));
      const statuses = await services.chain?.findAll(sales, since);
      for (const [at, sale] of sales.entries()) {
        if (signal?.aborted) return;
        await reconcileSale(sale, statuses?.[at], services);
      }
    }
}

async function* pagesOf(condition: Omit<Page, 'limit' | 'after'>, {ledger}: PaymentServices): AsyncGenerator<Sale[]> {
  let page: Sale[] = [];
  do {
    const last = page.at(-1);
    page = await ledger.list({...condition, limit: MOST_AUTHORIZATIONS, ...(last && {after: last})});
    yield page;
  } while (page.length === MOST_AUTHORIZATIONS);
}

/** True if no process works on a sale, and it is old enough for the node to know its transaction. */
function isDue({leasedUntil, readAt, settledAt, startedAt}: Sale, lagMs: number): boolean {
  return leasedUntil < readAt && readAt - (settledAt ?? startedAt) > lagMs;
}

async function reconcileSale(
  sale: Sale,
  status: AuthorizationStatus | undefined,
  services: PaymentServices,
): Promise<void> {
  const move = moveOf(sale, status, services);
  const lease = move && (await Lease.take(services.ledger, sale.key, [sale.state]));
  if (lease) {
    await lease.moveAndRelease(move);
    if (sale.transaction === null && move.to === 'settled') services.observer?.sold(sale);
  }
  if (!move && isFinal(sale, status)) await services.ledger.markFinal(sale.key);
}

/** Returns the move to the state that the chain shows, or undefined if the sale is in that state. */
function moveOf(sale: Sale, status: AuthorizationStatus | undefined, services: PaymentServices): Move | undefined {
  const {state, transaction, settledAt, deliveredAt} = sale;
  const hasExpired = isExpired(sale);
  const isNotPaid = state === 'unpaid' || state === 'declined';
  switch (status?.kind) {
    case 'paid': {
      const isDelivered = state === 'settled' ? hasArrived(sale) : deliveredAt !== null;
      const to: State = isDelivered ? 'delivered' : hasExpired ? 'expired' : 'settled';
      return state === to && transaction === status.transaction ? undefined : {to, transaction: status.transaction};
    }
    case 'used elsewhere':
      return isNotPaid ? undefined : {to: 'unpaid', reason: transaction === null ? USED : TAKEN_BACK};
    case 'unused':
      // A node that is behind does not know of the settlement yet.
      if (isNotPaid || (settledAt !== null && status.at <= settledAt)) return undefined;
      if (isOverAt(status.at, sale)) return {to: 'unpaid', reason: transaction === null ? 'never settled' : TAKEN_BACK};
      if (settledAt === null) return undefined;
      // The transaction can be mined again, so its payer must not pay a second time for a document that has not arrived.
      return state === 'settled' && !hasArrived(sale) && !hasExpired
        ? {to: 'pending'}
        : {to: 'unpaid', reason: TAKEN_BACK};
    case 'no answer':
    case undefined:
      if (state === 'settled' && hasArrived(sale)) return {to: 'delivered'};
      if (state === 'settled' && hasExpired) return {to: 'expired'};
      return state === 'pending' && isOverAt(services.clock(), sale, GIVEN_UP_AFTER_MS)
        ? {to: 'indeterminate'}
        : undefined;
  }
}

function isFinal(sale: Sale, status: AuthorizationStatus | undefined): boolean {
  if (status?.kind === 'paid' || status?.kind === 'used elsewhere') return status.isFinal;
  // An authorization that is not used can still be used until it expires.
  return status?.kind === 'unused' && isOverAt(status.at, sale, GIVEN_UP_AFTER_MS);
}
