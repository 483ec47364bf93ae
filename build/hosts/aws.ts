import {readFileSync} from 'node:fs';
import {parse} from 'jsonc-parser';
import {cacheControl, AWS_TEMPLATE} from '../../shared/paths.ts';
import {InputError, refuse, type Fault} from '../../shared/fault.ts';
import {encode} from '../../shared/encode.ts';
import {priceOf} from '../../shared/price.ts';
import type {Rule} from '../../shared/shapes.ts';
import {
  freeGetAndHead,
  oddSpelling,
  onePerPath,
  onePerPrice,
  paidGetOnly,
  unpriced,
  type WafRule,
} from './aws/waf-rules.ts';
import type {Host, Hosted} from './host.ts';

const template = readFileSync(new URL('aws/template.jsonc', import.meta.url), 'utf8');
const TEMPLATE = JSON.stringify(parse(template, [], {allowTrailingComma: true}));

/** A rule's name has at most 128 characters, including `pay-`. */
const PAID_PATH = /^\/api\/v1\/[a-z0-9][a-z0-9.-]{0,123}$/;

/** The longest template that CloudFormation accepts inline instead of from a bucket, in bytes. */
const MOST_INLINE_BYTES = 51_200;

const NO_PASSES = 'is that of a pass, which AWS WAF cannot sell, because it has no sign-in';

/** S3, CloudFront and AWS WAF: a private bucket whose paid documents can only be read after a payment. */
export default {
  name: 'aws',

  compose(hosted) {
    const {site, rules} = hosted;
    const rule =
      'is not /api/v1/ followed by a name of 1 to 124 lower-case letters and digits, which the rules of AWS WAF require';
    const unmatchable = rules.filter(({path}) => !PAID_PATH.test(path));
    const passes = rules.filter(({pass}) => pass);
    const fault = (value: string, rule: string): Fault => {
      return {code: 'FZ403', file: AWS_TEMPLATE, field: 'path', value, rule};
    };
    refuse([...unmatchable.map(({path}) => fault(path, rule)), ...passes.map(({path}) => fault(path, NO_PASSES))]);
    const acl = webAcl(hosted);
    const text = templateOf({
      'waf-rules': acl.rules,
      monetization: acl.monetization,
      'host-name': new URL(site.base_url).hostname,
      'cache-control-paid': cacheControl.paid,
    });
    return {files: new Map([[AWS_TEMPLATE, text]]), notes: deploymentNotes(acl, Buffer.byteLength(text), site)};
  },
} satisfies Host;

function templateOf(filled: Readonly<Record<string, unknown>>): string {
  const fill = (_: string, value: unknown): unknown =>
    typeof value === 'string' && /^\$[a-z-]+$/.test(value) ? filled[value.slice(1)] : value;
  return encode(JSON.parse(TEMPLATE, fill) as object);
}

/** Notes for the publisher before the template is deployed. `bytes` is the size of the template. */
function deploymentNotes(
  {units, mode}: ReturnType<typeof webAcl>,
  bytes: number,
  {base_url}: Hosted['site'],
): string[] {
  const when = (condition: boolean, note: string) => (condition ? [note] : []);
  return [
    units <= INCLUDED_UNITS
      ? `on AWS, the web ACL uses ${units} of ${INCLUDED_UNITS} capacity units`
      : `on AWS, the web ACL uses ${units} of ${MOST_UNITS} capacity units; above ${INCLUDED_UNITS} AWS charges more for it`,
    ...when(mode === 'TEST', 'on AWS, buyers pay with test money, which is worthless'),
    ...when(
      bytes > MOST_INLINE_BYTES,
      `the template has ${bytes} bytes: above ${MOST_INLINE_BYTES}, deploy it with --s3-bucket`,
    ),
    ...when(!base_url.startsWith('https:'), `CloudFront serves the API over HTTPS only, and base_url is ${base_url}`),
  ];
}

/** Capacity units included in the price of a web ACL. Each further 500 cost extra. */
const INCLUDED_UNITS = 1500;
/** The most capacity units that a web ACL can have. */
const MOST_UNITS = 5000;

/** The names of networks in AWS WAF, by CAIP-2 name. */
const CHAINS: ReadonlyMap<string, {readonly Chain: string; readonly mode: 'REAL' | 'TEST'}> = new Map([
  ['eip155:8453', {Chain: 'BASE', mode: 'REAL'}],
  ['eip155:84532', {Chain: 'BASE_SEPOLIA', mode: 'TEST'}],
]);

/** Returns the rules of the web ACL, its payment settings and its capacity units. Throws `InputError` if AWS WAF cannot express them. */
function webAcl({site, rules}: Hosted) {
  const networks = networksOf(site);
  // A site has either test networks or main networks.
  const mode = networks[0]?.mode ?? 'REAL';
  const pricing = rules.length === 0 ? undefined : priceRules(rules);
  const Prices = [{Amount: pricing?.base, Currency: 'USDC'}];
  const PaymentNetworks = networks.map(({Chain, WalletAddress}) => ({Chain, WalletAddress, Prices}));
  const wafRules = withinCapacity(pricing?.priced ?? []);
  return {
    // Requests are counted and sampled under the rule's name, so that a publisher can see them.
    rules: wafRules.map(({Name, ...does}, Priority) => {
      const VisibilityConfig = {CloudWatchMetricsEnabled: true, MetricName: Name, SampledRequestsEnabled: true};
      return {Name, Priority, ...does, VisibilityConfig};
    }),
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
    `the ${priced.length} paid paths need ${capacityUnitsOf(smaller)} capacity units, and a web ACL has at most ${MOST_UNITS}: ` +
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

/** A rule with its price as a multiple of the web ACL's base price. */
export interface PricedRule {
  readonly rule: Rule;
  readonly multiplier: number;
}

const MOST_MULTIPLIER = 100;

/**
 * Returns the greatest base price, in dollars (`0.01`), of which all prices are whole multiples. AWS WAF has one price per web ACL, in
 * steps of $0.001, and each rule multiplies it by 1 to 100. Takes at least one rule. Throws `InputError` with the prices that do not fit.
 */
function priceRules(rules: readonly Rule[]): {readonly base: string; readonly priced: readonly PricedRule[]} {
  // Thousandths of a dollar, the price steps of AWS WAF.
  const amounts = rules.map(rule => ({rule, mills: priceOf(rule.price).micros / 1000}));
  const tooFine = amounts.filter(({mills}) => !Number.isInteger(mills));
  const fine = 'has more than three decimals, and AWS WAF prices in steps of $0.001';
  refuse(
    tooFine.map(({rule: {name, price: value}}) => {
      return {code: 'FZ403', file: AWS_TEMPLATE, field: `the price of ${name}`, value, rule: fine};
    }),
  );
  const base = amounts.map(({mills}) => mills).reduce(gcd);
  const dearest = amounts.reduce((a, b) => (b.mills > a.mills ? b : a));
  if (dearest.mills / base > MOST_MULTIPLIER) {
    const prices = [...new Set(amounts.map(({rule}) => rule.price))].join(', ');
    const rule = `${prices} cannot be combined: their largest common base price is $${dollars(base)}, and AWS WAF multiplies it by at most 100`;
    throw new InputError({code: 'FZ403', file: AWS_TEMPLATE, field: 'the prices', rule});
  }
  return {base: dollars(base), priced: amounts.map(({rule, mills}) => ({rule, multiplier: mills / base}))};
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

const dollars = (mills: number): string => String(mills / 1000);
