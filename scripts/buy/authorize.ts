import {InputError} from '../../shared/fault.ts';
import {dollarsOf} from './money.ts';
import type {Offer} from './offer.ts';
import type {Payment, Payments} from './payments.ts';
import type {Account} from './sign.ts';

/** Who pays, and how much of it. */
export interface Purse {
  readonly account: Account;
  readonly payments: Payments;
  /** Millionths of a dollar for one document. */
  readonly max: number;
  /** Millionths of a dollar for a day (UTC). */
  readonly budget: number;
}

/** Why an offer is more than its buyer wants to pay now; nothing where it is not. */
export function tooDear({file, terms}: Offer, {payments, max, budget}: Omit<Purse, 'account'>): InputError | undefined {
  const amount = Number(terms.requirements.amount);
  const spent = payments.spentOn(today());
  const price = {file, field: 'price', value: dollarsOf(amount)};
  if (amount > max) return new InputError({...price, rule: `is more than ${dollarsOf(max)}, the most for a document`});
  if (spent + amount <= budget) return undefined;
  const rule = `is more than is left of ${dollarsOf(budget)}, the budget of a day: ${dollarsOf(spent)} are signed away today`;
  return new InputError({...price, rule});
}

/** The day (UTC), such as `2026-05-01`. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/**
 * Lets an authorization out of the house: it is within the budget, and on the disk, before anybody hears of it. It counts as spent from
 * then on. Throws `InputError` where it is too much.
 */
export async function authorize<P extends Payment>(payment: P, offer: Offer, purse: Purse): Promise<P> {
  const fault = tooDear(offer, purse);
  if (fault) throw fault;
  await purse.payments.add(payment);
  return payment;
}
