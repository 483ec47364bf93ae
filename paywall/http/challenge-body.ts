import {OFFER_RECEIPT} from '../../shared/payment-protocol.ts';
import type {SignedOffers} from '../payments/protocol/signed-offers.ts';
import type {Offer} from '../payments/protocol/offer.ts';
import {OPENAPI} from '../../shared/paths.ts';

export type ChallengeBody = string | Uint8Array<ArrayBuffer>;

/** The body of a 402 as long as the same signed offers are valid. */
interface Composed {
  readonly signed: SignedOffers | undefined;
  /** JSON without the members that depend on the reason, and without the closing brace. */
  readonly beginning: string;
  /** The whole body for a request without a payment, which is the most common. The server for Node sends bytes faster than text. */
  readonly unpaid: Uint8Array<ArrayBuffer>;
}

/**
 * Returns a function for the body of the 402 of an offer: the product's `payment_required` event, unchanged, with the members of problem
 * details (RFC 9457), the facts about the document, and the complete x402 PaymentRequired, with the extensions that are too large for the
 * header. The body is composed once, and again when the offers are signed again. Only composing returns a promise.
 */
export function challengeBody(
  offer: Offer,
): (status: number, reason?: string) => ChallengeBody | Promise<ChallengeBody> {
  const unpaid = {status: 402, error: offer.required.error ?? ''};
  let last: Composed | undefined;

  async function compose(signing: SignedOffers | undefined | Promise<SignedOffers>): Promise<Composed> {
    const signed = await signing;
    const beginning = JSON.stringify(await membersOf(offer, signed)).slice(0, -1);
    return (last = {signed, beginning, unpaid: new TextEncoder().encode(bodyWith(beginning, unpaid))});
  }

  return function challengeBody(status, reason) {
    const bodyOf = (composed: Composed) =>
      reason === undefined ? composed.unpaid : bodyWith(composed.beginning, {status, error: reason});
    const signed = offer.signed?.();
    return last && last.signed === signed ? bodyOf(last) : compose(signed).then(bodyOf);
  };
}

function bodyWith(beginning: string, members: {readonly status: number; readonly error: string}): string {
  return `${beginning},${JSON.stringify(members).slice(1)}`;
}

async function membersOf(offer: Offer, signed: SignedOffers | undefined): Promise<object> {
  const {event, rule, url, listed, snapshot, requirements, required, discovery, sample} = offer;
  const {x402Version, resource, accepts, extensions} = required;
  const {page, ...facts} = await sample();
  const origin = url.slice(0, -rule.path.length);
  const networks = requirements.map(({network, asset, payTo}) => ({network, currency: 'USDC', asset, payee: payTo}));
  return {
    ...event,
    title: 'Payment required',
    detail: `${rule.title} costs ${rule.price} in USDC. This request charged nothing.`,
    ...{price: rule.price, currency: 'USD', networks},
    document: {
      ...{title: rule.title, description: rule.description, url, bytes: listed.bytes},
      ...{rows: listed.rows, part: listed.part?.holds},
      ...snapshot,
    },
    sample: {url: origin + rule.sample, ...facts},
    how_to_pay: {
      instruction:
        'Sign one of `accepts` with a wallet that has USDC on its network, as x402 version 2 describes, and send this request again with the signed payload as JSON in base64 in the header PAYMENT-SIGNATURE.',
      code: codeFor(url),
    },
    links: {openapi: origin + OPENAPI, product: origin + page, schema: origin + rule.schema},
    ...{x402Version, resource, accepts},
    extensions: {...extensions, ...(await discovery()), ...(signed && {[OFFER_RECEIPT]: signed})},
  };
}

/** One line for `@x402/fetch`, `@x402/extensions`, `@x402/evm` and viem. It signs in first, so that a lost document is not paid again. */
function codeFor(url: string): string {
  return `const wallet = privateKeyToAccount(process.env.PRIVATE_KEY); const response = await wrapFetchWithPaymentFromConfig(wrapFetchWithSIWx(fetch, wallet), {schemes: [{network: 'eip155:*', client: new ExactEvmScheme(wallet)}]})(${JSON.stringify(url)});`;
}
