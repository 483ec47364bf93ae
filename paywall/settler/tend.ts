import {parseTransaction} from 'viem';
import type {Ledger} from '../ledger/ledger.ts';
import type {Sale} from '../ledger/sale.ts';
import type {Numbered} from '../ledger/transaction.ts';
import {Lease} from '../payments/lease.ts';
import {STALE_MS, STUCK_MS, type Transactions} from './transactions.ts';

/**
 * Takes care of transactions that nobody waits for, because who sent them has ended: sends them again, replaces them, and
 * fills numbers that were reserved and never used, for all later ones wait for these. Rejects where ledger or node fail.
 *
 * @param from all numbers before it are used
 * @param count how many numbers are used in blocks
 * @param pending the same with those that the node has and are not in blocks yet
 */
export async function tend(
  transactions: Transactions,
  ledger: Ledger,
  numbers: readonly Numbered[],
  [count, pending]: readonly [number, number],
): Promise<void> {
  const open = numbers.filter(({nonce}) => nonce >= count);
  const last = open.at(-1)?.nonce ?? -1;
  const reserved = new Set(open.map(({nonce}) => nonce));
  // Where the same key is used elsewhere, a number can be missing in the ledger.
  for (let nonce = Math.max(count, pending); nonce < last; nonce++)
    if (!reserved.has(nonce)) await transactions.fill(nonce, false);
  for (const numbered of open)
    if (numbered.age > STALE_MS)
      await tendOne(transactions, ledger, numbered, numbered.nonce === count && numbered.age > STUCK_MS);
}

/** Whether a number was filled, and so pays for nothing. */
export function isFilled({signed}: Numbered): boolean {
  return signed.some(transaction => parseTransaction(transaction).data === undefined);
}

/** Leaves a sale alone that another process works on. */
async function tendOne(
  transactions: Transactions,
  ledger: Ledger,
  numbered: Numbered,
  isStuck: boolean,
): Promise<void> {
  const lease = await Lease.take(ledger, numbered.key, ['claimed']);
  if (!lease && (await isClaimed(ledger, numbered.key))) return;
  try {
    if (numbered.signed.length === 0) await transactions.fill(numbered.nonce, true);
    else await transactions.push(numbered, isStuck);
  } finally {
    await lease?.moveAndRelease({to: 'claimed'});
  }
}

async function isClaimed(ledger: Ledger, key: string): Promise<boolean> {
  const nobody = {network: '', payer: '', url: ''} satisfies Pick<Sale, 'network' | 'payer' | 'url'>;
  return (await ledger.find(key, nobody)).same?.state === 'claimed';
}
