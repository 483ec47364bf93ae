import type {Rule} from '../../../shared/shapes.ts';
import {InputError, refuse, type Fault} from '../../../shared/fault.ts';
import {priceOf} from '../../../shared/price.ts';
import {TEMPLATE} from './template-path.ts';

/** A rule with its price as a multiple of the web ACL's base price. */
export interface PricedRule {
  readonly rule: Rule;
  readonly multiplier: number;
}

export interface Pricing {
  /** Dollars with up to three decimals, e.g. `0.01`. */
  readonly base: string;
  readonly priced: readonly PricedRule[];
}

interface Amount {
  readonly rule: Rule;
  /** Thousandths of a dollar: the steps AWS WAF prices in. */
  readonly mills: bigint;
}

const MOST_MULTIPLIER = 100n;
const MICROS_IN_MILL = 1000n;
const MOST_AMOUNT_CHARACTERS = 13;

/**
 * The greatest base price that all prices are whole multiples of: AWS WAF has one price a web ACL, in steps of
 * $0.001, and each rule multiplies it by 1 to 100. Throws `InputError` naming the prices that do not fit.
 * Takes at least one rule.
 */
export function priceRules(rules: readonly Rule[]): Pricing {
  const amounts = rules.map(rule => ({rule, micros: BigInt(priceOf(rule.price).micros)}));
  refuse(amounts.filter(({micros}) => micros % MICROS_IN_MILL !== 0n).map(({rule}) => tooFine(rule)));
  const inMills = amounts.map(({rule, micros}) => ({rule, mills: micros / MICROS_IN_MILL}));
  const base = commonMills(inMills);
  const dearest = inMills.reduce((a, b) => (b.mills > a.mills ? b : a));
  if (dearest.mills / base > MOST_MULTIPLIER) throw new InputError(clash(inMills, dearest, base));
  if (dollars(base).length > MOST_AMOUNT_CHARACTERS) throw new InputError(tooDear(dearest.rule));
  return {
    base: dollars(base),
    priced: inMills.map(({rule, mills}) => ({rule, multiplier: Number(mills / base)})),
  };
}

const commonMills = (amounts: readonly Amount[]): bigint => amounts.map(({mills}) => mills).reduce(gcd);

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));

function dollars(mills: bigint): string {
  const decimals = (mills % 1000n).toString().padStart(3, '0').replace(/0+$/, '');
  return `${mills / 1000n}${decimals && `.${decimals}`}`;
}

/** The two prices that clash; where only three or more of them clash together, the dearest and its worst partner. */
function clash(amounts: readonly Amount[], dearest: Amount, base: bigint): Fault {
  const pairs = amounts.flatMap((a, index) => amounts.slice(index + 1).map(b => [a, b] as const));
  const [a, b] = pairs.find(([x, y]) => tooFarApart(x, y)) ?? [dearest, worstPartner(amounts, dearest)];
  const shared = tooFarApart(a, b) ? gcd(a.mills, b.mills) : base;
  const between = tooFarApart(a, b) ? 'share' : 'share, with the other prices,';
  return {
    file: TEMPLATE,
    field: `the prices of ${named(a)} and ${named(b)}`,
    rule: `clash: they ${between} no greater base than $${dollars(shared)}, and AWS WAF multiplies a base by 100 at most`,
  };
}

function tooFarApart(a: Amount, b: Amount): boolean {
  const dearer = a.mills > b.mills ? a.mills : b.mills;
  return dearer / gcd(a.mills, b.mills) > MOST_MULTIPLIER;
}

function worstPartner(amounts: readonly Amount[], dearest: Amount): Amount {
  const shared = (amount: Amount) => gcd(amount.mills, dearest.mills);
  return amounts.reduce((worst, amount) => (shared(amount) < shared(worst) ? amount : worst));
}

const named = ({rule}: Amount): string => `${rule.name} (${rule.price})`;

function tooFine(rule: Rule): Fault {
  const rules = 'has more than three decimals, and AWS WAF prices in steps of $0.001';
  return {file: TEMPLATE, field: `the price of ${rule.name}`, value: rule.price, rule: rules};
}

function tooDear(rule: Rule): Fault {
  return {file: TEMPLATE, field: `the price of ${rule.name}`, value: rule.price, rule: 'is too large for AWS WAF'};
}
