import {setTimeout as sleep} from 'node:timers/promises';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import type {NewSale, State} from '../../paywall/ledger/sale.ts';
import {newSale} from '../ledger/new-sale.ts';

export const payer = `0x${'11'.repeat(20)}`;
export const USDC_ON_BASE = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
export const UNKNOWN_ASSET = `0x${'ee'.repeat(20)}`;

let count = 0;

/** Starts a sale and moves it to a state, as a gate does. Returns its key and transaction. */
export async function sell(
  ledger: Pick<Ledger, 'start' | 'move'>,
  state: State,
  changes: Partial<NewSale> = {},
): Promise<{readonly key: string; readonly transaction: string}> {
  count += 1;
  const transaction = `0x${count.toString(16).padStart(64, '0')}`;
  const sale = newSale({url: `https://snapshots.example/api/v1/p${count}`, ...changes});
  // The ledger sorts sales by milliseconds.
  await sleep(2);
  await ledger.start(sale, 'me');
  if (state === 'declined' || state === 'unpaid') await ledger.move(sale.key, 'me', {to: state, reason: 'no money'});
  else if (state === 'indeterminate' || state === 'expired')
    await ledger.move(sale.key, 'me', {to: 'settled', transaction}, true);
  if (state === 'settled' || state === 'delivered') await ledger.move(sale.key, 'me', {to: state, transaction});
  if (state === 'expired') await ledger.move(sale.key, 'me', {to: 'expired'});
  return {key: sale.key, transaction};
}

/**
 * Adds the sales for the tests of reports: income of 0.19 and a refund of 0.02 on a test network, 0.15 on Base, and 7
 * units of an unknown token.
 */
export async function fillLedger(ledger: Ledger): Promise<void> {
  await sell(ledger, 'delivered', {payer});
  await sell(ledger, 'expired', {payer, product: 'deadshare', amount: '150000', price: '$0.15'});
  const {key} = await sell(ledger, 'delivered');
  await ledger.refund(key, `0x${'f1'.repeat(32)}`);
  await sell(ledger, 'settled');
  await sell(ledger, 'delivered', {network: 'eip155:8453', asset: USDC_ON_BASE, amount: '150000', price: '$0.15'});
  await sell(ledger, 'delivered', {asset: UNKNOWN_ASSET, amount: '7'});
  await sell(ledger, 'declined');
  await sell(ledger, 'pending');
}
