import type {Network, PaymentPayload, PaymentRequirements, SettleResponse} from '@x402/core/types';
import type {NewSale} from '../ledger/sale.ts';
import type {Claim} from './claim.ts';
import type {Offer} from './offer.ts';
import type {Till} from './till.ts';

/** The part of a payment that is kept, to settle it again. */
export interface Terms {
  readonly payload: Claim['payload'];
  readonly requirements: PaymentRequirements;
}

/** The sale that a claim begins. */
export function saleOf(claim: Claim, offer: Offer, requirements: PaymentRequirements, till: Till): NewSale {
  const {payload} = claim;
  const {from, nonce, validBefore} = payload.authorization;
  const {network, asset, payTo, amount} = requirements;
  return {
    key: claim.key,
    network,
    asset,
    payer: from.toLowerCase(),
    payTo,
    amount,
    nonce: nonce.toLowerCase(),
    validBefore: Number(validBefore),
    payload: JSON.stringify({payload, requirements} satisfies Terms),
    paymentId: claim.id,
    product: offer.rule.name,
    url: offer.url,
    sha256: offer.snapshot.sha256,
    asOf: offer.snapshot.as_of,
    price: offer.rule.price,
    facilitator: till.facilitator.host,
  };
}

/**
 * Whether a sale was begun with the very payment that begins another, for the same document, down to the identifier that its buyer
 * gave it. The payment itself names no document, and others may cost the same.
 */
export function isSamePayment(sale: NewSale, other: NewSale): boolean {
  const signed = (sale: NewSale) => JSON.stringify(termsOf(sale).payload);
  const isNamedAlike = sale.paymentId !== null && sale.paymentId === other.paymentId;
  return isNamedAlike && sale.url === other.url && signed(sale) === signed(other);
}

/** What is kept of the payment of a sale. */
export function termsOf({payload}: NewSale): Terms {
  return JSON.parse(payload) as Terms;
}

/** What a facilitator is told of a payment. */
export function payloadOf(
  payload: Claim['payload'],
  accepted: PaymentRequirements,
  {resource, extensions}: Offer['required'],
): PaymentPayload {
  return {x402Version: 2, resource, accepted, payload: {...payload}, ...(extensions && {extensions})};
}

/** The receipt of a sale in the books. */
export function receiptOf({network, payer, amount}: NewSale, transaction: string): SettleResponse {
  return {success: true, transaction, network: network as Network, payer, amount};
}
