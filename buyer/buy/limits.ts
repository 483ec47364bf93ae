import type {Fault} from '../../shared/fault.ts';
import {today} from '../../shared/today.ts';
import {dollarsOf} from './money.ts';
import type {Offer} from './offer.ts';
import type {Payments} from './payments.ts';

/** The spending limits of a buyer, and what was spent. */
export interface Limits {
  readonly payments: Payments;
  /** In millionths of a dollar. */
  readonly max: number;
  /** In millionths of a dollar, for a day (UTC). */
  readonly budget: number;
}

/** Returns the error if an offer exceeds the limits. */
export function limitFaults({file, terms}: Offer, {payments, max, budget}: Limits): Fault[] {
  const amount = Number(terms.requirements.amount);
  const spent = payments.spentOn(today());
  const price = {code: 'FZ604', file, field: 'price', value: dollarsOf(amount)} as const;
  if (amount > max) return [{...price, rule: `is more than ${dollarsOf(max)}, the maximum price of a document`}];
  if (spent + amount <= budget) return [];
  const rule = `exceeds the rest of ${dollarsOf(budget)}, the budget of a day: payments of ${dollarsOf(spent)} were signed today`;
  return [{...price, rule}];
}
