import type {Network, PaymentRequired, PaymentRequirements} from '@x402/core/types';
import {ExactEvmScheme} from '@x402/evm/exact/server';
import {bazaarResourceServerExtension, declareDiscoveryExtension} from '@x402/extensions/bazaar';
import {declarePaymentIdentifierExtension, PAYMENT_IDENTIFIER} from '@x402/extensions/payment-identifier';
import {x402ResourceServer} from '@x402/hono';
import type {Catalogue, Rule, RuleEntry, Rules} from '../../../shared/shapes.ts';
import type {Documents} from '../../site/documents.ts';
import type {PaidItem} from '../../site/site.ts';
import type {Sign} from '../../site/site-signer.ts';
import {signInTerms, type SignInTerms} from './sign-in-terms.ts';
import {signedOffers, type SignedOffers} from './signed-offers.ts';

/** What is asked for one paid document, worked out once. */
export interface Offer {
  readonly rule: RuleEntry;
  /** Absolute address of the document, which the buyer's payment names. */
  readonly url: string;
  readonly snapshot: Snapshot;
  readonly requirements: PaymentRequirements[];
  /** The terms, without the challenge to sign in, which is another in every answer. */
  readonly required: PaymentRequired;
  /** Where who has paid downloads the document again. */
  readonly signIn: SignInTerms | undefined;
  /** The signed terms, where the gate has the key of its site: the same object until they are signed anew. */
  readonly signed: (() => Promise<SignedOffers>) | undefined;
  /** For how many days a buyer can download these bytes again. */
  readonly redownloadDays: number;
  /** The product's unsigned `payment_required` event: the body of the 402. */
  readonly event: string;
  /** Where the free sample and the schema are (RFC 8288, RFC 6903). */
  readonly link: string;
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

const text = {type: 'string'};
const snapshotSchema = {
  type: 'object',
  required: ['sha256', 'as_of'],
  properties: {sha256: text, as_of: text, next_expected: text, later_snapshots: {type: 'integer'}},
};

/** As JSON. The client sends most of it back in its own header, and stock servers take 16 KiB of headers in base64. */
const REQUIRED_MAX_BYTES = 7_500;

/** Throws where x402 does not know a network or its dollar. */
export async function makeOffer(item: PaidItem, site: Rules, documents: Documents, sign?: Sign): Promise<Offer> {
  const {rule, listed, asOf, nextExpected} = item;
  const url = site.base_url + rule.path;
  const snapshot = {
    ...{sha256: listed.sha256, as_of: asOf},
    ...(nextExpected && {next_expected: nextExpected}),
    ...(rule.pass && {later_snapshots: rule.pass.next}),
  };
  const requirements = await requirementsOf(rule, site);
  const resource = {url, description: rule.description, mimeType: rule.type.split(';', 1)[0] ?? rule.type};
  const extensions = {
    snapshot: {info: snapshot, schema: snapshotSchema},
    [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(),
  };
  const ask = {x402Version: 2, error: 'Payment required', resource, accepts: requirements, extensions};
  const networks = requirements.map(({network}) => network);
  const signIn = site.redownload_days > 0 || rule.pass ? signInTerms(url, networks) : undefined;
  const signed = sign && signedOffers({url, price: rule.price, snapshot, requirements}, sign);
  const taken = JSON.stringify(signIn ?? {}).length + (signed ? JSON.stringify(await signed()).length : 0);
  const required = await withDiscovery(ask, rule, documents, taken);
  return {
    rule,
    url,
    snapshot,
    requirements,
    required,
    signIn,
    signed,
    redownloadDays: site.redownload_days,
    event: JSON.stringify({
      type: 'payment_required',
      payload: {sku: rule.name, http_status: 402, settle_success: false},
      sig: null,
    }),
    link: `<${rule.sample}>; rel="preview"; type="application/json", <${rule.schema}>; rel="describedby"`,
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

/**
 * Adds the bazaar extension, with as much of example and schema as fits.
 *
 * @param taken bytes of the extensions that are added to each answer
 */
async function withDiscovery(
  ask: PaymentRequired,
  rule: RuleEntry,
  documents: Documents,
  taken: number,
): Promise<PaymentRequired> {
  const {example} = rule;
  const schema = await outputSchema(rule, documents);
  const outputs = example ? [...(schema ? [{example, schema}] : []), {example}, undefined] : [undefined];
  const candidates = outputs.map(output => ({...ask, extensions: {...discovery(output), ...ask.extensions}}));
  const fits = (required: PaymentRequired) => Buffer.byteLength(JSON.stringify(required)) + taken <= REQUIRED_MAX_BYTES;
  return candidates.find(fits) ?? ask;
}

function discovery(output?: {example: unknown; schema?: Record<string, unknown>}): Record<string, unknown> {
  const {bazaar} = declareDiscoveryExtension(output ? {output} : {});
  return {bazaar: bazaarResourceServerExtension.enrichDeclaration?.(bazaar, {method: 'GET', adapter: {}}) ?? bazaar};
}

/** The document's schema without its identity, which facilitators take for a reference to fetch. */
async function outputSchema(rule: Rule, documents: Documents): Promise<Record<string, unknown> | undefined> {
  const bytes = await documents.read(rule.schema);
  if (!bytes) return undefined;
  const schema = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$id' && key !== '$schema'));
}
