import {refuse, type Fault} from '../../shared/fault.ts';
import {dollarsOf} from './money.ts';
import {isMain, NETWORKS, optionFor} from './networks.ts';
import type {Offer} from './offer.ts';
import type {Payment} from './payments.ts';

/** The terms that a payment is bound to. */
export interface Deal {
  readonly network: string;
  readonly asset: string;
  readonly payTo: string;
  readonly amount: string;
  readonly sha256: string;
  readonly as_of: string;
  /** Seconds for which the signature is valid. */
  readonly seconds: number;
}

/** The reason why the wallet may sign. */
export type Consent =
  /** The buyer agreed to exactly these terms. */
  | {readonly kind: 'terms'; readonly deal: Deal}
  /** A proof repeats the terms of a payment that the buyer agreed to. */
  | {readonly kind: 'former payment'; readonly payment: Payment}
  /** The buyer named this document of this site, so the wallet may sign in for it. */
  | {readonly kind: 'address'; readonly url: string; readonly network: string};

export function dealOf({entry, document, terms}: Pick<Offer, 'entry' | 'document' | 'terms'>): Deal {
  const {network, asset, payTo, amount, maxTimeoutSeconds} = terms.requirements;
  return {
    ...{network, amount, asset: asset.toLowerCase(), payTo: payTo.toLowerCase()},
    ...{sha256: document.listed.sha256, as_of: entry.as_of, seconds: maxTimeoutSeconds},
  };
}

/** Returns the names of the members of `wanted` that differ in `found`. */
export function differing<T extends Partial<Deal>>(wanted: T, found: Readonly<Record<keyof T, unknown>>): (keyof T)[] {
  const comparable = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value);
  return (Object.keys(wanted) as (keyof T)[]).filter(name => comparable(wanted[name]) !== comparable(found[name]));
}

/** Returns the terms that a proof shares with its payment. */
export function repeatedOf({network, asset, payTo, amount}: Pick<Deal, 'network' | 'asset' | 'payTo' | 'amount'>) {
  return {network, asset, payTo, amount};
}

/** The names of terms in messages, as in the tools of `frozen mcp`, if they differ from those of x402. */
const LABELS: Partial<Record<keyof Deal, string>> = {amount: 'price', payTo: 'pay_to'};

/** Throws `InputError` with each term of an offer that differs from the terms that were shown. */
export function refuseChanged(shown: Partial<Deal>, offer: Offer): void {
  const now = dealOf(offer);
  refuse(
    differing(shown, now).map(field => ({
      code: 'FZ609',
      ...{url: offer.url, field: LABELS[field] ?? field, value: readable(field, shown[field] ?? '')},
      rule: `is ${readable(field, now[field])} now. Nothing was paid`,
      fix: 'Look at the offer again.',
    })),
  );
}

/** Returns an error if an offer asks for real money and the buyer did not name a network. */
export function unnamedFaults({url, terms}: Offer, named: string | undefined): Fault[] {
  const {network} = terms.requirements;
  if (named !== undefined || !isMain(network)) return [];
  const rule = 'is a network with real money. Nothing was paid';
  const fix = `Use --network ${optionFor(network)} to buy on it.`;
  return [{code: 'FZ604', url, field: 'network', value: network, rule, fix}];
}

function readable(field: keyof Deal, value: string | number): string {
  if (field === 'amount') return dollarsOf(Number(value));
  return field === 'network' ? (NETWORKS[value] ?? String(value)) : String(value);
}
