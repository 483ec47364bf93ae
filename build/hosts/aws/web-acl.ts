import type {Hosted} from '../host.ts';
import {InputError} from '../../../shared/fault.ts';
import {INCLUDED_UNITS, MOST_UNITS} from './capacity.ts';
import {guardBodies, oddSpelling, paidGetOnly, unpriced} from './guards.ts';
import {networksOf, type Networks} from './networks.ts';
import {onePerPath, onePerPrice} from './priced-rules.ts';
import {priceRules, type PricedRule} from './pricing.ts';
import {TEMPLATE} from './template-path.ts';
import {numbered, unitsOfRules, visibility, type WafRule} from './rule.ts';

export interface WebAcl {
  readonly resource: object;
  /** Web ACL capacity units of all rules. */
  readonly units: number;
  /** Whether buyers pay in real or in test money. */
  readonly mode: 'REAL' | 'TEST';
}

/** The web ACL that asks for money on the paid paths, blocks what could slip past them and allows the rest. */
export function webAcl({site, rules}: Hosted): WebAcl {
  const networks = networksOf(site);
  const pricing = rules.length === 0 ? undefined : priceRules(rules);
  const wafRules = withinCapacity(pricing?.priced ?? []);
  const properties = {
    Scope: 'CLOUDFRONT',
    Description: 'Asks for money on the paid documents',
    DefaultAction: {Allow: {}},
    CustomResponseBodies: guardBodies,
    ...(pricing && {MonetizationConfig: monetization(networks, pricing.base)}),
    Rules: numbered(wafRules),
    VisibilityConfig: visibility('web-acl'),
  };
  const resource = {Type: 'AWS::WAFv2::WebACL', Properties: properties};
  return {resource, units: unitsOfRules(wafRules), mode: networks.mode};
}

function monetization({mode, wallets}: Networks, base: string): object {
  const networks = wallets.map(({chain, wallet}) => ({
    Chain: chain,
    WalletAddress: wallet,
    Prices: [{Amount: base, Currency: 'USDC'}],
  }));
  return {CurrencyMode: mode, CryptoConfig: {PaymentNetworks: networks}};
}

/** One rule a path while that stays within the included units, else whichever of both ways takes fewer. */
function withinCapacity(priced: readonly PricedRule[]): WafRule[] {
  const plain = guarded(onePerPath(priced));
  if (unitsOfRules(plain) <= INCLUDED_UNITS) return plain;
  const shared = guarded(onePerPrice(priced));
  const smaller = unitsOfRules(shared) < unitsOfRules(plain) ? shared : plain;
  if (unitsOfRules(smaller) > MOST_UNITS) throw new InputError(tooMany(priced.length, unitsOfRules(smaller)));
  return smaller;
}

const guarded = (paying: readonly WafRule[]): WafRule[] => [oddSpelling, paidGetOnly, ...paying, unpriced];

function tooMany(paths: number, units: number) {
  return {
    file: TEMPLATE,
    rule: `the ${paths} paid paths take ${units} capacity units, and a web ACL holds ${MOST_UNITS}: sell fewer products, fewer different prices or shorter names`,
  };
}
