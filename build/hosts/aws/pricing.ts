import {InputError, refuse, type Fault} from '../../../shared/fault.ts';
import {AWS_TEMPLATE} from '../../../shared/paths.ts';
import {priceOf} from '../../../shared/price.ts';
import type {Rule} from '../../../shared/shapes.ts';

/** A rule with its price as a multiple of the web ACL's base price. */
export interface PricedRule {
  readonly rule: Rule;
  readonly multiplier: number;
}

interface Amount {
  readonly rule: Rule;
  /** Thousandths of a dollar: the steps AWS WAF prices in. */
  readonly mills: number;
}

const MOST_MULTIPLIER = 100;
const MOST_AMOUNT_CHARACTERS = 13;

/**
 * The greatest base price that all prices are whole multiples of, in dollars, e.g. `0.01`: AWS WAF has one price a web
 * ACL, in steps of $0.001, and each rule multiplies it by 1 to 100. Throws `InputError` naming the prices that do not
 * fit. Takes at least one rule.
 */
export function priceRules(rules: readonly Rule[]): {readonly base: string; readonly priced: readonly PricedRule[]} {
  const amounts = rules.map(rule => ({rule, mills: priceOf(rule.price).micros / 1000}));
  const tooFine = amounts.filter(({mills}) => !Number.isInteger(mills));
  refuse(tooFine.map(amount => fault(amount, 'has more than three decimals, and AWS WAF prices in steps of $0.001')));
  const base = amounts.map(({mills}) => mills).reduce(gcd);
  const dearest = amounts.reduce((a, b) => (b.mills > a.mills ? b : a));
  if (dearest.mills / base > MOST_MULTIPLIER) throw new InputError(clash(amounts, dearest, base));
  if (dollars(base).length > MOST_AMOUNT_CHARACTERS) refuse([fault(dearest, 'is too large for AWS WAF')]);
  return {base: dollars(base), priced: amounts.map(({rule, mills}) => ({rule, multiplier: mills / base}))};
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

const dollars = (mills: number): string => String(mills / 1000);

/** The first two prices that clash; where only three or more of them clash together, the dearest and its worst partner. */
function clash(amounts: readonly Amount[], dearest: Amount, base: number): Fault {
  for (const a of amounts) {
    const b = amounts.find(({mills}) => Math.max(a.mills, mills) / gcd(a.mills, mills) > MOST_MULTIPLIER);
    if (b) return clashing(a, b, 'share', gcd(a.mills, b.mills));
  }
  const shared = ({mills}: Amount) => gcd(mills, dearest.mills);
  const worst = amounts.reduce((worst, amount) => (shared(amount) < shared(worst) ? amount : worst));
  return clashing(dearest, worst, 'share, with the other prices,', base);
}

function clashing(a: Amount, b: Amount, share: string, base: number): Fault {
  const [one, other] = [a, b].map(({rule: {name, price}}) => `${name} (${price})`);
  const rule = `clash: they ${share} no greater base than $${dollars(base)}, and AWS WAF multiplies a base by 100 at most`;
  return {file: AWS_TEMPLATE, field: `the prices of ${one} and ${other}`, rule};
}

function fault({rule: {name, price}}: Amount, rule: string): Fault {
  return {file: AWS_TEMPLATE, field: `the price of ${name}`, value: price, rule};
}
