import type {Network, PaymentRequired, PaymentRequirements} from '@x402/core/types';
import {ExactEvmScheme} from '@x402/evm/exact/server';
import {sanitizeResourceServiceMetadata} from '@x402/extensions/bazaar';
import {declarePaymentIdentifierExtension, PAYMENT_IDENTIFIER} from '@x402/extensions/payment-identifier';
import {x402ResourceServer} from '@x402/hono';
import type {Catalogue, Listed, Rule, RuleEntry, Rules} from '../../../shared/shapes.ts';
import type {Documents} from '../../site/documents.ts';
import type {PaidItem} from '../../site/site.ts';
import type {Sign} from '../../site/site-signer.ts';
import {discoveryOf} from './discovery.ts';
import {fitted} from './head-size.ts';
import {sampleFacts, type SampleFacts} from './sample-facts.ts';
import {signInTerms, type SignInTerms} from './sign-in-terms.ts';
import {signedOffers, type SignedOffers} from './signed-offers.ts';

/** The payment requirements of one paid document and all that its 402 says, computed once. */
export interface Offer {
  readonly rule: RuleEntry;
  /** Absolute address of the document, which the buyer's payment names. */
  readonly url: string;
  readonly snapshot: Snapshot;
  /** Digest and size of the document. */
  readonly listed: Listed;
  readonly requirements: PaymentRequirements[];
  /** The header PAYMENT-REQUIRED, without the challenge to sign in, which each answer has of its own. A stock client echoes most of it. */
  readonly required: PaymentRequired;
  /** Offered even if today's sales include no further download, because earlier sales may. */
  readonly signIn: SignInTerms;
  /** The signed terms if the gate has the key of its site: the same object until they are signed again. */
  readonly signed: (() => Promise<SignedOffers>) | undefined;
  /** The extension `bazaar`, for the body of the 402 and for facilitators. Reads the schema of the document on the first call. */
  readonly discovery: () => Promise<Record<string, unknown>>;
  /** Reads the free sample. */
  readonly sample: () => Promise<SampleFacts>;
  /** Days for which a buyer can download the document again. */
  readonly redownloadDays: number;
  /** The product's unsigned `payment_required` event: the body of the 402. */
  readonly event: object;
  /** The header Link with the free sample and the schema (RFC 8288, RFC 6903), if there is room for it. */
  readonly link: string | undefined;
}

/** Which document is offered, as the catalogue lists it: an extension of x402 that a payment echoes. */
export interface Snapshot {
  /** Of its bytes. */
  readonly sha256: string;
  readonly as_of: string;
  /** When a newer one is due. */
  readonly next_expected?: string;
  /** How many later snapshots this payment holds for as well. */
  readonly later_snapshots?: number;
}

/** Short schemas, because a client sends them back. Ajv's strict mode wants a schema for each required member. */
const SNAPSHOT_SCHEMA = {type: 'object', required: ['sha256', 'as_of'], properties: {sha256: {}, as_of: {}}};
const IDENTIFIER_SCHEMA = {type: 'object', required: ['required'], properties: {required: {}}};

/** Throws if x402 does not know a network or its dollar. */
export async function makeOffer(item: PaidItem, site: Rules, documents: Documents, sign?: Sign): Promise<Offer> {
  const {rule, listed, asOf, nextExpected} = item;
  const url = site.base_url + rule.path;
  const snapshot = {
    ...{sha256: listed.sha256, as_of: asOf},
    ...(nextExpected && {next_expected: nextExpected}),
    ...(rule.pass && {later_snapshots: rule.pass.next}),
  };
  const requirements = await requirementsOf(rule, site);
  const service = {serviceName: site.title, tags: ['dataset', 'snapshot'], iconUrl: `${site.base_url}/favicon.svg`};
  const resource = {
    ...{url, description: rule.description, mimeType: rule.type.split(';', 1)[0] ?? rule.type},
    ...sanitizeResourceServiceMetadata({url, ...service}),
  };
  const extensions = {
    snapshot: {info: snapshot, schema: SNAPSHOT_SCHEMA},
    [PAYMENT_IDENTIFIER]: {...declarePaymentIdentifierExtension(), schema: IDENTIFIER_SCHEMA},
  };
  const networks = requirements.map(({network}) => network);
  const signIn = signInTerms(url, networks);
  const {required, link} = fitted(
    {x402Version: 2, error: 'Payment required', resource, accepts: requirements, extensions},
    signIn,
    `<${rule.sample}>; rel="preview"; type="application/json", <${rule.schema}>; rel="describedby"`,
  );
  let discovery: Record<string, unknown> | undefined;
  return {
    rule,
    url,
    snapshot,
    listed,
    requirements,
    required,
    signIn,
    signed: sign && signedOffers({url, price: rule.price, snapshot, requirements}, sign),
    // The promise is not shared: in a Worker one request cannot await the work of another.
    discovery: async () => (discovery ??= await discoveryOf(rule, documents)),
    sample: () => sampleFacts(rule, asOf, documents),
    redownloadDays: site.redownload_days,
    event: {
      type: 'payment_required',
      payload: {sku: rule.name, http_status: 402, settle_success: false},
      sig: null,
    },
    link,
  };
}

/** Who is paid on which network, in the rules and in the catalogue alike. */
type Payees = Pick<Catalogue, 'payment'>;

/** How a buyer may pay: the routes of `@x402/hono` ask for the same. */
export function acceptsOf(rule: Pick<Rule, 'price'>, site: Payees) {
  return site.payment.accepts.map(({network, pay_to}) => ({
    scheme: 'exact',
    network: network as Network,
    payTo: pay_to,
    price: rule.price,
  }));
}

/** The price in atomic units of each network's dollar; no facilitator is asked. */
export async function requirementsOf(rule: Pick<Rule, 'price'>, site: Payees): Promise<PaymentRequirements[]> {
  const accepts = acceptsOf(rule, site);
  const kinds = accepts.map(({scheme, network}) => ({x402Version: 2, scheme, network}));
  const rejects = () => Promise.reject(new Error('prices are worked out without a facilitator'));
  const getSupported = () => Promise.resolve({kinds, extensions: [], signers: {}});
  const server = new x402ResourceServer({getSupported, verify: rejects, settle: rejects});
  server.register('eip155:*', new ExactEvmScheme());
  await server.initialize();
  return (await Promise.all(accepts.map(accept => server.buildPaymentRequirements(accept)))).flat();
}
