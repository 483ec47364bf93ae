import {InputError, refuse, type Fault} from '../../../shared/fault.ts';
import {AWS_TEMPLATE} from '../../../shared/paths.ts';
import type {Hosted} from '../host.ts';
import {
  freeGetAndHead,
  oddSpelling,
  onePerPath,
  onePerPrice,
  paidGetOnly,
  unpriced,
  type WafRule,
} from './waf-rules.ts';
import {priceOf} from '../../../shared/price.ts';
import type {Rule} from '../../../shared/shapes.ts';

/** Capacity units included in the price of a web ACL. Each further 500 cost extra. */
export const INCLUDED_UNITS = 1500;
/** The most capacity units that a web ACL can have. */
export const MOST_UNITS = 5000;

/** The names of networks in AWS WAF, by CAIP-2 name. */
const CHAINS: ReadonlyMap<string, {readonly Chain: string; readonly mode: 'REAL' | 'TEST'}> = new Map([
  ['eip155:8453', {Chain: 'BASE', mode: 'REAL'}],
  ['eip155:84532', {Chain: 'BASE_SEPOLIA', mode: 'TEST'}],
]);

/**
 * Returns the rules that charge for paid paths and block attempts to bypass them, the payment settings if something is sold, the currency
 * mode, and the capacity units of all rules. Throws `InputError` if AWS WAF cannot express them.
 */
export function webAcl({site, rules}: Hosted) {
  const networks = networksOf(site);
  // A site has either test networks or main networks.
  const mode = networks[0]?.mode ?? 'REAL';
  const pricing = rules.length === 0 ? undefined : priceRules(rules);
  const Prices = [{Amount: pricing?.base, Currency: 'USDC'}];
  const PaymentNetworks = networks.map(({Chain, WalletAddress}) => ({Chain, WalletAddress, Prices}));
  const wafRules = withinCapacity(pricing?.priced ?? []);
  return {
    rules: wafRules.map(inPlace),
    monetization: pricing && {CurrencyMode: mode, CryptoConfig: {PaymentNetworks}},
    mode,
    units: capacityUnitsOf(wafRules),
  };
}

function networksOf({payment: {accepts}}: Hosted['site']) {
  const rule = `is not a network AWS WAF knows: ${[...CHAINS.keys()].join(', ')}`;
  const fields = accepts.map(({network}, index) => ({field: `payment.accepts[${index}].network`, value: network}));
  refuse(
    fields
      .filter(({value}) => !CHAINS.has(value))
      .map(field => ({code: 'FZ403', file: 'data/site.json', ...field, rule})),
  );
  return accepts.map(({network, pay_to: WalletAddress}) => ({...CHAINS.get(network), WalletAddress}));
}

/** One rule per path if that fits the included units. Otherwise the form that needs fewer units. */
function withinCapacity(priced: readonly PricedRule[]): WafRule[] {
  const guarded = (paying: readonly WafRule[]) => [oddSpelling, paidGetOnly, ...paying, unpriced, freeGetAndHead];
  const plain = guarded(onePerPath(priced));
  if (capacityUnitsOf(plain) <= INCLUDED_UNITS) return plain;
  const shared = guarded(onePerPrice(priced));
  const smaller = capacityUnitsOf(shared) < capacityUnitsOf(plain) ? shared : plain;
  if (capacityUnitsOf(smaller) <= MOST_UNITS) return smaller;
  const rule =
    `the ${priced.length} paid paths take ${capacityUnitsOf(smaller)} capacity units, and a web ACL holds ${MOST_UNITS}: ` +
    'sell fewer products, parts or formats, fewer different prices or shorter names';
  throw new InputError({code: 'FZ403', file: AWS_TEMPLATE, rule});
}

/** Web ACL capacity units (WCU) of comparisons and transformations, from the AWS WAF Developer Guide. `NONE` is assumed to cost nothing. */
const UNITS: ReadonlyMap<unknown, number> = new Map([
  ['ByteMatchStatement', 2],
  ['RegexMatchStatement', 3],
  ['URL_DECODE', 10],
  ['NORMALIZE_PATH', 10],
]);

function capacityUnitsOf(json: object): number {
  return Object.entries(json).reduce((units, [key, value]: [string, unknown]) => {
    const inner = typeof value === 'object' && value !== null ? capacityUnitsOf(value) : (UNITS.get(value) ?? 0);
    return units + (UNITS.get(key) ?? 0) + inner;
  }, 0);
}

/** Rules are evaluated in their order. Requests are counted and sampled under the rule's name, so that a publisher can see them. */
function inPlace({Name, ...does}: WafRule, Priority: number): object {
  const VisibilityConfig = {CloudWatchMetricsEnabled: true, MetricName: Name, SampledRequestsEnabled: true};
  return {Name, Priority, ...does, VisibilityConfig};
}

/** A rule with its price as a multiple of the web ACL's base price. */
export interface PricedRule {
  readonly rule: Rule;
  readonly multiplier: number;
}

interface Amount {
  readonly rule: Rule;
  /** Thousandths of a dollar, the price steps of AWS WAF. */
  readonly mills: number;
}

const MOST_MULTIPLIER = 100;
const MOST_AMOUNT_CHARACTERS = 13;

/**
 * Returns the greatest base price, in dollars (`0.01`), of which all prices are whole multiples. AWS WAF has one price per web ACL, in
 * steps of $0.001, and each rule multiplies it by 1 to 100. Takes at least one rule. Throws `InputError` with the prices that do not fit.
 */
function priceRules(rules: readonly Rule[]): {readonly base: string; readonly priced: readonly PricedRule[]} {
  const amounts = rules.map(rule => ({rule, mills: priceOf(rule.price).micros / 1000}));
  const tooFine = amounts.filter(({mills}) => !Number.isInteger(mills));
  refuse(
    tooFine.map(amount => priceFault(amount, 'has more than three decimals, and AWS WAF prices in steps of $0.001')),
  );
  const base = amounts.map(({mills}) => mills).reduce(gcd);
  const dearest = amounts.reduce((a, b) => (b.mills > a.mills ? b : a));
  if (dearest.mills / base > MOST_MULTIPLIER) throw new InputError(clash(amounts, dearest, base));
  if (dollars(base).length > MOST_AMOUNT_CHARACTERS) refuse([priceFault(dearest, 'is too large for AWS WAF')]);
  return {base: dollars(base), priced: amounts.map(({rule, mills}) => ({rule, multiplier: mills / base}))};
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

const dollars = (mills: number): string => String(mills / 1000);

/** The first two prices that conflict. If only three or more prices conflict together: the highest price and the one that fits it worst. */
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
  return {code: 'FZ403', file: AWS_TEMPLATE, field: `the prices of ${one} and ${other}`, rule};
}

function priceFault({rule: {name, price}}: Amount, rule: string): Fault {
  return {code: 'FZ403', file: AWS_TEMPLATE, field: `the price of ${name}`, value: price, rule};
}
