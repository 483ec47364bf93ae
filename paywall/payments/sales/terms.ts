import type {Network, PaymentPayload, SettleResponse} from '@x402/core/types';
import type {NewSale} from '../../ledger/sale.ts';
import type {Offer} from '../protocol/offer.ts';
import type {Payment} from '../protocol/payment.ts';
import type {PaymentServices} from '../services.ts';

/** The part of a payment that the ledger stores, so that it can be settled again. */
export type Terms = Pick<Payment, 'payload' | 'requirements'>;

/**
 * Returns the new sale of a payment.
 *
 * @param isProven true if the gate verified that the payer signed. Otherwise only the sender of the same payment is entitled to the document
 */
export function saleOf(
  {key, id, payload, requirements}: Payment,
  offer: Offer,
  {facilitator}: PaymentServices,
  isProven: boolean,
): NewSale {
  const {from, nonce, validBefore} = payload.authorization;
  const {network, asset, payTo, amount} = requirements;
  return {
    key,
    network,
    asset,
    payer: from.toLowerCase(),
    payTo,
    amount,
    nonce: nonce.toLowerCase(),
    validBefore: Number(validBefore),
    payload: JSON.stringify({payload, requirements} satisfies Terms),
    paymentId: id,
    product: offer.rule.name,
    url: offer.url,
    sha256: offer.snapshot.sha256,
    asOf: offer.snapshot.as_of,
    price: offer.rule.price,
    laterSnapshots: offer.rule.pass?.next ?? 0,
    members: Object.keys(offer.rule.snapshots ?? {}),
    redownloadDays: offer.redownloadDays,
    facilitator: facilitator.host,
    isProven,
  };
}

/**
 * True if a sale was started with the same payment for the same document, including the idempotency key. The payment itself names no
 * document, and other documents may have the same price.
 */
export function isSamePayment(sale: NewSale, {id, payload}: Payment, url: string): boolean {
  const isSameKey = sale.paymentId !== null && sale.paymentId === id;
  return isSameKey && sale.url === url && JSON.stringify(termsOf(sale).payload) === JSON.stringify(payload);
}

/** Returns the payment of a sale, as far as the ledger stores it. */
export function termsOf({payload}: NewSale): Terms {
  return JSON.parse(payload) as Terms;
}

/**
 * Returns the payment for a facilitator, with the extension `bazaar`. Only the signed part comes from the buyer, because facilitators
 * publish the rest.
 */
export async function payloadOf(
  {payload, requirements}: Terms,
  {required: {resource, extensions}, discovery}: Pick<Offer, 'required' | 'discovery'>,
): Promise<PaymentPayload> {
  const published = {...extensions, ...(await discovery())};
  return {x402Version: 2, resource, accepted: requirements, payload: {...payload}, extensions: published};
}

/** Returns the x402 settlement response for a sale in the ledger. */
export function receiptOf({network, payer, amount}: NewSale, transaction: string): SettleResponse {
  return {success: true, transaction, network: network as Network, payer, amount};
}
