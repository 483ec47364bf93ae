import type {PaymentRequired, PaymentRequirements} from '@x402/core/types';
import {sanitizeResourceServiceMetadata} from '@x402/extensions/bazaar';
import {declarePaymentIdentifierExtension, PAYMENT_IDENTIFIER} from '@x402/extensions/payment-identifier';
import {requirementsOf} from '../../../shared/payment-requirements.ts';
import type {RuleEntry, Rules} from '../../../shared/shapes.ts';
import type {Documents} from '../../site/documents.ts';
import type {PaidItem} from '../../site/site.ts';
import type {Sign} from '../../site/site-signer.ts';
import {discoveryOf} from './discovery.ts';
import {fitted} from './head-size.ts';
import {sampleFacts, type SampleFacts} from './sample-facts.ts';
import {signInTerms, type SignInTerms} from './sign-in-terms.ts';
import {signedOffers, type SignedOffers, type Snapshot} from './signed-offers.ts';

/** A paid document with its payment requirements and everything else in its 402, computed once. */
export interface Offer {
  readonly rule: RuleEntry;
  /** The absolute URL of the document, which a payment names as its resource. */
  readonly url: string;
  readonly snapshot: Snapshot;
  /** Digest and size of the document, and its rows and part if it has such. */
  readonly listed: PaidItem['listed'];
  readonly requirements: PaymentRequirements[];
  /** The content of the header PAYMENT-REQUIRED without the sign-in challenge, which is new in each response. Stock clients echo most of it. */
  readonly required: PaymentRequired;
  /** Present even if current sales include no further download, because earlier sales may. */
  readonly signIn: SignInTerms;
  /** Returns the signed offers, if the gate has the key of its site: the same object until they are signed again. */
  readonly signed: (() => SignedOffers | Promise<SignedOffers>) | undefined;
  /** Returns the extension `bazaar`, for the body of the 402 and for facilitators. The first call reads the schema of the document. */
  readonly discovery: () => Promise<Record<string, unknown>>;
  /** Reads the free sample. */
  readonly sample: () => Promise<SampleFacts>;
  /** The number of days for which a buyer can download the document again. */
  readonly redownloadDays: number;
  /** The product's unsigned `payment_required` event: the body of the 402. */
  readonly event: object;
  /** The header Link to the free sample and the schema (RFC 8288, RFC 6903), if it fits. */
  readonly link: string | undefined;
}

/** Short, because clients send the schemas back. Ajv's strict mode requires a schema for each required member. */
const SNAPSHOT_SCHEMA = {type: 'object', required: ['sha256', 'as_of'], properties: {sha256: {}, as_of: {}}};
const IDENTIFIER_SCHEMA = {type: 'object', required: ['required'], properties: {required: {}}};

/** Computes the offer of a paid document. Rejects if x402 does not support a network or does not have a dollar token there. */
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
