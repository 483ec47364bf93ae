import {parseTransaction} from 'viem';
import type {Ledger} from '../ledger/ledger.ts';
import type {Reservation} from '../ledger/reservation.ts';
import {Lease} from '../payments/sales/lease.ts';
import {STALE_MS, STUCK_MS, type Transactions} from './transactions.ts';

/**
 * Sends the transactions of ended processes again, replaces stuck ones, and fills reserved nonces without a transaction, because all
 * later transactions wait for them. Rejects if the ledger or the node fails.
 *
 * @param reservations in order, from `count` on
 * @param count the number of nonces that are used in blocks
 * @param pending the number of nonces that are used in blocks or in the node's pool
 */
export async function rebroadcast(
  transactions: Transactions,
  ledger: Ledger,
  reservations: readonly Reservation[],
  [count, pending]: readonly [number, number],
): Promise<void> {
  const open = reservations.filter(({nonce}) => nonce >= count);
  const last = open.at(-1)?.nonce ?? -1;
  const reserved = new Set(open.map(({nonce}) => nonce));
  // A nonce can be missing in the ledger: the same account is used elsewhere, or the chain took back the transaction that filled it.
  const isStuck = (open[0]?.age ?? 0) > STUCK_MS;
  for (let nonce = count; nonce < last; nonce++)
    if (!reserved.has(nonce) && (nonce >= pending || (isStuck && nonce === count)))
      await transactions.fill(nonce, false);
  for (const reservation of open) {
    const {nonce, age} = reservation;
    if (age > STALE_MS) await rebroadcastOne(transactions, ledger, reservation, nonce === count && age > STUCK_MS);
  }
}

/** True if a nonce was filled: its transaction pays for nothing. */
export function isFilled({transactions}: Reservation): boolean {
  return transactions.some(transaction => parseTransaction(transaction).data === undefined);
}

/** Rebroadcasts the transaction of one sale, unless another process works on the sale. Any process may rebroadcast a filled nonce. */
async function rebroadcastOne(
  transactions: Transactions,
  ledger: Ledger,
  reservation: Reservation,
  isStuck: boolean,
): Promise<void> {
  if (isFilled(reservation)) {
    // The process of the sale waits for this nonce and never sends it. Another process may replace the transaction at the same time.
    await transactions.resend(reservation, isStuck).catch(() => undefined);
    return;
  }
  const lease = await Lease.take(ledger, reservation.sale, ['pending']);
  if (!lease && (await isPending(ledger, reservation.sale))) return;
  try {
    if (reservation.transactions.length === 0) await transactions.fill(reservation.nonce, true);
    else await transactions.resend(reservation, isStuck);
  } finally {
    await lease?.moveAndRelease({to: 'pending'});
  }
}

async function isPending(ledger: Ledger, key: string): Promise<boolean> {
  const {same} = await ledger.find(key, {network: '', payer: '', url: ''});
  return same?.state === 'pending';
}
