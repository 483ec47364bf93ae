import {OFFER_RECEIPT, type SignedOffers} from '../payments/protocol/signed-offers.ts';
import type {Offer} from '../payments/protocol/offer.ts';
import {OPENAPI} from '../../shared/paths.ts';

/**
 * Makes the body of the 402 of an offer: the product's `payment_required` event, unchanged, and around it the members of problem details
 * (RFC 9457), the facts about the document, and the x402 PaymentRequired in full, with the extensions that are too large for the header. It is
 * computed once, and again when the offers are signed again.
 */
export function challengeBody(offer: Offer): (status: number, reason?: string) => Promise<string> {
  let last: {readonly signed: SignedOffers | undefined; readonly text: string} | undefined;
  return async function challengeBody(status, reason = offer.required.error ?? '') {
    const signed = await offer.signed?.();
    if (last?.signed !== signed || !last) last = {signed, text: JSON.stringify(await membersOf(offer, signed))};
    return `${last.text.slice(0, -1)},"status":${status},"error":${JSON.stringify(reason)}}`;
  };
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
    document: {title: rule.title, description: rule.description, url, bytes: listed.bytes, ...snapshot},
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

/** One line for `@x402/fetch`, `@x402/evm` and viem, whose names it imports. */
function codeFor(url: string): string {
  return `const response = await wrapFetchWithPaymentFromConfig(fetch, {schemes: [{network: 'eip155:*', client: new ExactEvmScheme(privateKeyToAccount(process.env.PRIVATE_KEY))}]})(${JSON.stringify(url)});`;
}
