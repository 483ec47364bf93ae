import {OFFER_RECEIPT, type SignedOffers} from '../payments/protocol/signed-offers.ts';
import type {Offer} from '../payments/protocol/offer.ts';

/**
 * Makes the body of the 402 of an offer: the product's `payment_required` event, unchanged, and around it the x402 PaymentRequired in full. It
 * has the extensions that are too large for the header. It is computed once, and again when the offers are signed again.
 */
export function challengeBody(offer: Offer): (reason?: string) => Promise<string> {
  let last: {readonly signed: SignedOffers | undefined; readonly text: string} | undefined;
  return async function challengeBody(reason = offer.required.error ?? '') {
    const signed = await offer.signed?.();
    if (last?.signed !== signed || !last) last = {signed, text: JSON.stringify(await membersOf(offer, signed))};
    return `${last.text.slice(0, -1)},"error":${JSON.stringify(reason)}}`;
  };
}

async function membersOf({event, required, discovery}: Offer, signed: SignedOffers | undefined): Promise<object> {
  const {x402Version, resource, accepts, extensions} = required;
  return {
    ...event,
    ...{x402Version, resource, accepts},
    extensions: {...extensions, ...(await discovery()), ...(signed && {[OFFER_RECEIPT]: signed})},
  };
}
