import type {Page} from '../../ledger/ledger.ts';
import type {Move, Sale, State} from '../../ledger/sale.ts';
import {isOverAt, type AuthorizationStatus} from '../chain/chain.ts';
import {Lease} from './lease.ts';
import {USED} from './settle.ts';
import {hasArrived, isExpired, type PaymentServices} from '../services.ts';

export interface ReconcileOptions {
  /** How long a settlement is left alone, in milliseconds: the node that is asked may be a few blocks behind. */
  readonly lagMs?: number;
  /** Ends the work behind the sale that it is at: thousands may be asked for, each of a slow node. */
  readonly signal?: AbortSignal;
}

const LAG_MS = 60_000;
const PAGE = 100;
/** A sale that no node knows is given up so long after its authorization has run out, in milliseconds. */
const GIVEN_UP_AFTER_MS = 24 * 3_600_000;
const TAKEN_BACK = 'taken back by the chain';

/**
 * Compares the books with the chain, for all sales that are not known for good: finds out what became of those that nobody
 * asks for any more, and what a reorganised chain took back. Charges nobody. Rejects where the books cannot be used.
 */
export async function reconcile(
  services: PaymentServices,
  {lagMs = LAG_MS, signal}: ReconcileOptions = {},
): Promise<void> {
  const pages: Omit<Page, 'limit' | 'after'>[] = [
    {states: ['pending', 'settled', 'indeterminate']},
    // Only a node of the chain knows whether it has taken a transaction back.
    ...(services.chain ? [{states: ['delivered', 'expired', 'unpaid'] as const, notFinal: true}] : []),
  ];
  for (const page of pages)
    for await (const sale of salesOn(page, services)) {
      if (signal?.aborted) return;
      if (isLeftAlone(sale, lagMs)) await reconcileSale(sale, services);
    }
}

async function* salesOn(page: Omit<Page, 'limit' | 'after'>, {ledger}: PaymentServices): AsyncGenerator<Sale> {
  let sales: Sale[] = [];
  do {
    const last = sales.at(-1);
    sales = await ledger.list({...page, limit: PAGE, ...(last && {after: last})});
    yield* sales;
  } while (sales.length === PAGE);
}

function isLeftAlone({leasedUntil, readAt, settledAt, startedAt}: Sale, lagMs: number): boolean {
  return leasedUntil < readAt && readAt - (settledAt ?? startedAt) > lagMs;
}

async function reconcileSale(sale: Sale, services: PaymentServices): Promise<void> {
  const finding = await services.chain?.find(sale, sale.startedAt);
  const move = moveOf(sale, finding, services);
  const lease = move && (await Lease.take(services.ledger, sale.key, [sale.state]));
  if (lease) {
    await lease.moveAndRelease(move);
    if (sale.settledAt === null && isPaid(move)) services.observer?.sold(sale);
  }
  if (!move && isKnownForGood(sale, finding)) await services.ledger.markFinal(sale.key);
}

function isPaid({to}: Move): boolean {
  return to === 'settled' || to === 'delivered' || to === 'expired';
}

/** The move that brings a sale to the state that the chain shows; undefined where it is there. */
function moveOf(sale: Sale, finding: AuthorizationStatus | undefined, services: PaymentServices): Move | undefined {
  const {state, transaction, settledAt, deliveredAt} = sale;
  const hasLapsed = isExpired(sale);
  switch (finding?.kind) {
    case 'paid': {
      const to: State = deliveredAt !== null ? 'delivered' : hasLapsed ? 'expired' : 'settled';
      return state === to && transaction === finding.transaction ? undefined : {to, transaction: finding.transaction};
    }
    case 'used elsewhere':
      return state === 'unpaid' ? undefined : {to: 'unpaid', reason: settledAt === null ? USED : TAKEN_BACK};
    case 'unused':
      if (state === 'unpaid') return undefined;
      // A node that has not come so far does not know of the settlement yet.
      if (settledAt !== null) return finding.at > settledAt ? {to: 'unpaid', reason: TAKEN_BACK} : undefined;
      return isOverAt(finding.at, sale) ? {to: 'unpaid', reason: 'never settled'} : undefined;
    case 'no answer':
    case undefined:
      if (state === 'settled' && hasArrived(sale)) return {to: 'delivered'};
      if (state === 'settled' && hasLapsed) return {to: 'expired'};
      return state === 'pending' && isOverAt(services.clock(), sale, GIVEN_UP_AFTER_MS)
        ? {to: 'indeterminate'}
        : undefined;
  }
}

function isKnownForGood(sale: Sale, finding: AuthorizationStatus | undefined): boolean {
  if (finding?.kind === 'paid') return finding.isFinal;
  // Of an unpaid sale: what is not used yet can still be.
  return (
    finding?.kind === 'used elsewhere' || (finding?.kind === 'unused' && isOverAt(finding.at, sale, GIVEN_UP_AFTER_MS))
  );
}
