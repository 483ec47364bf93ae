import {InputError, refuse} from '../../../shared/fault.ts';
import {AWS_TEMPLATE} from '../../../shared/paths.ts';
import type {Hosted} from '../host.ts';
import {priceRules, type PricedRule} from './pricing.ts';
import {
  freeGetAndHead,
  oddSpelling,
  onePerPath,
  onePerPrice,
  paidGetOnly,
  unpriced,
  type WafRule,
} from './waf-rules.ts';

/** Capacity units that the price of a web ACL includes; each 500 more cost extra. */
export const INCLUDED_UNITS = 1500;
/** Capacity units no web ACL may exceed. */
export const MOST_UNITS = 5000;

/** The names that AWS WAF has for networks, by CAIP-2 name. */
const CHAINS: ReadonlyMap<string, {readonly Chain: string; readonly mode: 'REAL' | 'TEST'}> = new Map([
  ['eip155:8453', {Chain: 'BASE', mode: 'REAL'}],
  ['eip155:84532', {Chain: 'BASE_SEPOLIA', mode: 'TEST'}],
]);

/**
 * The rules that ask for money on the paid paths and block what could slip past them, how the money is collected where
 * something is sold, whether it is real, and the web ACL capacity units of all rules. Throws `InputError` where AWS WAF
 * cannot express them.
 */
export function webAcl({site, rules}: Hosted) {
  const networks = networksOf(site);
  // A site has test networks or main ones, not both.
  const mode = networks[0]?.mode ?? 'REAL';
  const pricing = rules.length === 0 ? undefined : priceRules(rules);
  const Prices = [{Amount: pricing?.base, Currency: 'USDC'}];
  const PaymentNetworks = networks.map(({Chain, WalletAddress}) => ({Chain, WalletAddress, Prices}));
  const wafRules = withinCapacity(pricing?.priced ?? []);
  return {
    rules: wafRules.map(inPlace),
    monetization: pricing && {CurrencyMode: mode, CryptoConfig: {PaymentNetworks}},
    mode,
    units: unitsOf(wafRules),
  };
}

/** Where money is collected. Throws `InputError` for networks that AWS WAF does not know. */
function networksOf({payment: {accepts}}: Hosted['site']) {
  const rule = `is not a network AWS WAF knows: ${[...CHAINS.keys()].join(', ')}`;
  const fields = accepts.map(({network}, index) => ({field: `payment.accepts[${index}].network`, value: network}));
  refuse(fields.filter(({value}) => !CHAINS.has(value)).map(field => ({file: 'data/site.json', ...field, rule})));
  return accepts.map(({network, pay_to: WalletAddress}) => ({...CHAINS.get(network), WalletAddress}));
}

/** One rule a path while that stays within the included units, else whichever of both ways takes fewer. */
function withinCapacity(priced: readonly PricedRule[]): WafRule[] {
  const rules = priced.map(({rule}) => rule);
  const guarded = (paying: readonly WafRule[]) => [
    oddSpelling,
    paidGetOnly(rules),
    ...paying,
    unpriced(rules),
    freeGetAndHead,
  ];
  const plain = guarded(onePerPath(priced));
  if (unitsOf(plain) <= INCLUDED_UNITS) return plain;
  const shared = guarded(onePerPrice(priced));
  const smaller = unitsOf(shared) < unitsOf(plain) ? shared : plain;
  if (unitsOf(smaller) <= MOST_UNITS) return smaller;
  const rule =
    `the ${priced.length} paid paths take ${unitsOf(smaller)} capacity units, and a web ACL holds ${MOST_UNITS}: ` +
    'sell fewer products, parts or formats, fewer different prices or shorter names';
  throw new InputError({file: AWS_TEMPLATE, rule});
}

/** Web ACL capacity units (WCU) of comparisons and rewritings, as the AWS WAF Developer Guide prices them; `NONE` is taken to cost nothing. */
const UNITS: ReadonlyMap<unknown, number> = new Map([
  ['ByteMatchStatement', 2],
  ['RegexMatchStatement', 3],
  ['URL_DECODE', 10],
  ['NORMALIZE_PATH', 10],
]);

/** The capacity units of everything in a JSON value. */
function unitsOf(json: object): number {
  return Object.entries(json).reduce((units, [key, value]: [string, unknown]) => {
    const inner = typeof value === 'object' && value !== null ? unitsOf(value) : (UNITS.get(value) ?? 0);
    return units + (UNITS.get(key) ?? 0) + inner;
  }, 0);
}

/** Rules are evaluated in their order. Requests are counted and sampled under the rule's name, so that a publisher sees what was asked for. */
function inPlace({Name, ...does}: WafRule, Priority: number): object {
  const VisibilityConfig = {CloudWatchMetricsEnabled: true, MetricName: Name, SampledRequestsEnabled: true};
  return {Name, Priority, ...does, VisibilityConfig};
}
