import {join} from 'node:path';
import {z} from '@x402/core/schemas';
import {readRecord, replaceDurably} from './disk.ts';
import type {Fault} from '../../shared/fault.ts';
import {today} from '../../shared/today.ts';
import {dollarsOf} from './money.ts';
import type {Offer} from './offer.ts';

const hex = (bytes: number) => z.string().regex(new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`));

const paymentSchema = z.object({
  /** Origin of the site, name and digest of the document. */
  site: z.string(),
  name: z.string(),
  sha256: z.string(),
  as_of: z.string().datetime({precision: 3}),
  network: z.string(),
  asset: hex(20),
  payer: hex(20),
  payTo: hex(20),
  amount: z.string().regex(/^\d{1,12}$/),
  nonce: hex(32),
  signedAt: z.string().datetime(),
  /** Seconds since 1970. */
  validBefore: z.number().int(),
  /** The header PAYMENT-SIGNATURE, removed when it is no longer needed. */
  header: z.string().optional(),
  /**
   * `open`: it may be paid, and the document has not arrived. `aside`: paid, but another document arrived. `closed`: the document arrived,
   * or the buyer gave up. `unused`: the chain shows that it was never charged.
   */
  state: z.enum(['open', 'aside', 'closed', 'unused']),
});
const fileSchema = z.object({payments: z.array(paymentSchema)});

/** A signed authorization. */
export type Payment = Readonly<z.infer<typeof paymentSchema>>;

/** How long payments are kept, in milliseconds. Longer than a day: if a wrong clock is set back, payments of an earlier day count again. */
const KEPT_MS = 48 * 3_600_000;

/**
 * The authorizations of the last two days, because those of the current day count against the budget, and all for documents that have not
 * arrived. Each change is on disk before it takes effect.
 */
export class Payments {
  readonly #file: string;
  #all: readonly Payment[];

  private constructor(file: string, all: readonly Payment[]) {
    [this.#file, this.#all] = [file, all];
  }

  /** Reads the record in a folder. Throws `InputError` if it is damaged, because it is then unknown what was paid. */
  static async read(folder: string): Promise<Payments> {
    const file = join(folder, 'payments.json');
    const {payments} = (await readRecord(file, fileSchema, 'it is not known what was paid')) ?? {payments: []};
    return new Payments(file, payments);
  }

  get all(): readonly Payment[] {
    return this.#all;
  }

  /** Returns the payment whose document has not arrived. */
  openOf(site: string, name: string): Payment | undefined {
    return this.#all.find(one => isOpen(one) && one.site === site && one.name === name);
  }

  /** Returns the millionths of a dollar signed on a day (UTC), such as `2026-05-01`, or later, because a clock may have been set back. */
  spentOn(day: string): number {
    const counted = this.#all.filter(({signedAt, state}) => signedAt >= day && state !== 'unused');
    return counted.reduce((sum, {amount}) => sum + Number(amount), 0);
  }

  /** Records a payment before it is sent, and removes old ones for documents without an open payment. */
  async add(payment: Payment): Promise<void> {
    const since = Date.parse(payment.signedAt) - KEPT_MS;
    const open = [...this.#all.filter(isOpen), payment];
    const isKept = (one: Payment) => Date.parse(one.signedAt) >= since || open.some(other => isForSame(one, other));
    await this.#write([...this.#all.filter(isKept), payment]);
  }

  async move(payment: Payment, state: Payment['state']): Promise<void> {
    const {header, ...rest} = payment;
    const moved = {...rest, ...(state === 'aside' && header !== undefined && {header}), state};
    await this.#write(this.#all.map(one => (one.nonce === payment.nonce ? moved : one)));
  }

  async #write(all: readonly Payment[]): Promise<void> {
    await replaceDurably(this.#file, `${JSON.stringify({payments: all}, null, 2)}\n`);
    this.#all = all;
  }
}

/** True if the document of a payment has not arrived. */
export function isOpen({state}: Payment): boolean {
  return state === 'open' || state === 'aside';
}

export function isForSame(one: Payment, other: Payment): boolean {
  return one.site === other.site && one.name === other.name && one.sha256 === other.sha256;
}

/** The spending limits of a buyer, and what was spent. */
export interface Limits {
  readonly payments: Payments;
  /** In millionths of a dollar. */
  readonly max: number;
  /** In millionths of a dollar, for a day (UTC). */
  readonly budget: number;
}

/** Returns the error if an offer exceeds the limits. */
export function limitFaults({url, terms}: Offer, {payments, max, budget}: Limits): Fault[] {
  const amount = Number(terms.requirements.amount);
  const spent = payments.spentOn(today());
  const price = {code: 'FZ604', url, field: 'price', value: dollarsOf(amount)} as const;
  if (amount > max) return [{...price, rule: `is more than ${dollarsOf(max)}, the maximum price of a document`}];
  if (spent + amount <= budget) return [];
  const rule = `exceeds the rest of ${dollarsOf(budget)}, the budget of a day: payments of ${dollarsOf(spent)} were signed today`;
  return [{...price, rule}];
}
