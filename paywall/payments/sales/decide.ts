import type {Collection, Entries} from '../../ledger/ledger.ts';
import {OTHER_TERMS} from '../../../shared/payment-protocol.ts';
import {OPEN, type Sale} from '../../ledger/sale.ts';
import type {Offer} from '../protocol/offer.ts';
import type {Payment} from '../protocol/payment.ts';
import {isExpired} from '../services.ts';
import {USED} from './settle.ts';
import {isSamePayment} from './terms.ts';

/** A decision about a payment. */
export type Decision =
  | {readonly kind: 'none' | 'conflict' | 'in flight'}
  | {readonly kind: 'refused'; readonly reason: string}
  /** The document of this sale can be collected, once its outcome is known. */
  | {readonly kind: 'collect'; readonly sale: Sale; readonly isSame: boolean}
  /** Sales that failed, and that the chain may show as paid now. */
  | {readonly kind: 'recheck'; readonly sales: readonly Sale[]}
  /** The document was delivered before, for this very payment or its collection, or is covered by a pass. */
  | {readonly kind: 'owned'; readonly sale: Sale; readonly isSame: boolean};

/**
 * How long after a sale failed a payment waits for the node to find its money, in milliseconds. Later only reconciliation looks for it,
 * because a node may never find the use of an old authorization, and its payer could never buy the document.
 */
const RECHECK_MS = 7 * 24 * 3_600_000;

/** Decides about a payment from the ledger entries that concern it. */
export function decide(
  {same, open, failed, sameIdentifier, collected, pass}: Entries & {readonly pass: Sale | undefined},
  payment: Payment,
  isTimely: boolean,
  {url, snapshot}: Pick<Offer, 'url' | 'snapshot'>,
): Decision {
  if (sameIdentifier) return {kind: 'conflict'};
  if (same && isSamePayment(same, payment, url)) {
    if (OPEN.includes(same.state)) return {kind: 'collect', sale: same, isSame: true};
    if (same.state !== 'delivered' || isExpired(same)) return {kind: 'refused', reason: USED};
    if (same.sha256 !== snapshot.sha256) return {kind: 'refused', reason: OTHER_TERMS.document};
    return {kind: 'owned', sale: same, isSame: true};
  }
  const isNamed = payment.id !== null && payment.id === collected?.paymentId;
  const again = collected && isNamed ? collectedAgain(collected, url, snapshot.sha256) : undefined;
  if (again) return again;
  if (!isTimely) return {kind: 'none'};
  if (same?.paymentId && same.paymentId === payment.id) return {kind: 'conflict'};
  if (same?.state === 'pending') return {kind: 'in flight'};
  if (same) return {kind: 'refused', reason: (same.state === 'declined' && same.reason) || USED};
  // Collecting a pending sale charges for it. The holder of a pass must not be charged.
  if (open && (open.state === 'settled' || !pass)) return {kind: 'collect', sale: open, isSame: false};
  if (pass) return {kind: 'owned', sale: pass, isSame: false};
  if (collected) return {kind: 'refused', reason: USED};
  const sales = failed.filter(({startedAt, readAt}) => readAt - startedAt < RECHECK_MS);
  return sales.length > 0 ? {kind: 'recheck', sales} : {kind: 'none'};
}

/** A payment that collected a document gets it again with its idempotency key, as if it had paid for it itself. */
function collectedAgain({sale, sha256}: Collection, url: string, forSale: string): Decision | undefined {
  if (sale.url !== url) return undefined;
  if (sale.state === 'settled') return {kind: 'collect', sale, isSame: false};
  const isOwned = sale.state === 'delivered' && !isExpired(sale) && sha256 === forSale;
  return isOwned ? {kind: 'owned', sale, isSame: false} : undefined;
}
