import {InputError, refuse} from '../../../shared/fault.ts';
import {AWS_TEMPLATE} from '../../../shared/paths.ts';
import {sum} from '../../kinds/figures/counts.ts';
import type {Hosted} from '../host.ts';
import {priceRules, type PricedRule} from './pricing.ts';
import {guardBodies, oddSpelling, onePerPath, onePerPrice, paidGetOnly, unpriced, type WafRule} from './waf-rules.ts';

/** Capacity units that the price of a web ACL includes; each 500 more cost extra. */
export const INCLUDED_UNITS = 1500;
/** Capacity units no web ACL may exceed. */
export const MOST_UNITS = 5000;

export interface WebAcl {
  readonly resource: object;
  /** Web ACL capacity units of all rules. */
  readonly units: number;
  /** Whether buyers pay in real or in test money. */
  readonly mode: 'REAL' | 'TEST';
}

/** What AWS WAF knows of the networks that a site may name, by CAIP-2 name. */
const CHAINS: ReadonlyMap<string, {readonly Chain: string; readonly mode: WebAcl['mode']}> = new Map([
  ['eip155:8453', {Chain: 'BASE', mode: 'REAL'}],
  ['eip155:84532', {Chain: 'BASE_SEPOLIA', mode: 'TEST'}],
]);

/** The web ACL that asks for money on the paid paths, blocks what could slip past them and allows the rest. */
export function webAcl({site, rules}: Hosted): WebAcl {
  const networks = networksOf(site);
  // A site has test networks or main ones, not both.
  const mode = networks[0]?.mode ?? 'REAL';
  const pricing = rules.length === 0 ? undefined : priceRules(rules);
  const Prices = [{Amount: pricing?.base, Currency: 'USDC'}];
  const PaymentNetworks = networks.map(({Chain, WalletAddress}) => ({Chain, WalletAddress, Prices}));
  const wafRules = withinCapacity(pricing?.priced ?? []);
  const properties = {
    Scope: 'CLOUDFRONT',
    Description: 'Asks for money on the paid documents',
    DefaultAction: {Allow: {}},
    CustomResponseBodies: guardBodies,
    ...(pricing && {MonetizationConfig: {CurrencyMode: mode, CryptoConfig: {PaymentNetworks}}}),
    Rules: wafRules.map(inTemplate),
    VisibilityConfig: visibility('web-acl'),
  };
  return {resource: {Type: 'AWS::WAFv2::WebACL', Properties: properties}, units: unitsOf(wafRules), mode};
}

/** Where money is collected. Throws `InputError` for networks that AWS WAF does not know. */
function networksOf({payment: {accepts}}: Hosted['site']) {
  const rule = `is not a network AWS WAF knows: ${[...CHAINS.keys()].join(', ')}`;
  const fields = accepts.map(({network}, index) => ({field: `payment.accepts[${index}].network`, value: network}));
  refuse(fields.filter(({value}) => !CHAINS.has(value)).map(field => ({file: 'data/site.json', ...field, rule})));
  return accepts.flatMap(({network, pay_to: WalletAddress}) => {
    const chain = CHAINS.get(network);
    return chain ? [{...chain, WalletAddress}] : [];
  });
}

/** One rule a path while that stays within the included units, else whichever of both ways takes fewer. */
function withinCapacity(priced: readonly PricedRule[]): WafRule[] {
  const plain = guarded(onePerPath(priced));
  if (unitsOf(plain) <= INCLUDED_UNITS) return plain;
  const shared = guarded(onePerPrice(priced));
  const smaller = unitsOf(shared) < unitsOf(plain) ? shared : plain;
  if (unitsOf(smaller) <= MOST_UNITS) return smaller;
  const rule =
    `the ${priced.length} paid paths take ${unitsOf(smaller)} capacity units, and a web ACL holds ${MOST_UNITS}: ` +
    'sell fewer products, fewer different prices or shorter names';
  throw new InputError({file: AWS_TEMPLATE, rule});
}

const guarded = (paying: readonly WafRule[]): WafRule[] => [oddSpelling, paidGetOnly, ...paying, unpriced];

function unitsOf(rules: readonly WafRule[]): number {
  return sum(rules.map(({statement}) => statement.units));
}

/** A rule in CloudFormation's spelling; rules are evaluated in their order. */
function inTemplate({name, action, statement}: WafRule, index: number): object {
  return {Name: name, Priority: index, Action: action, Statement: statement.json, VisibilityConfig: visibility(name)};
}

/** Requests are counted and sampled under the rule's name, so that a publisher sees what was asked for. */
function visibility(name: string): object {
  return {CloudWatchMetricsEnabled: true, MetricName: name, SampledRequestsEnabled: true};
}
