import type {Network, PaymentPayload, SettleResponse} from '@x402/core/types';
import type {NewSale} from '../../ledger/sale.ts';
import type {Offer} from '../protocol/offer.ts';
import type {Payment} from '../protocol/payment.ts';
import type {PaymentServices} from '../services.ts';

/** The part of a payment that the ledger keeps, so that it can be settled again. */
export type Terms = Pick<Payment, 'payload' | 'requirements'>;

/**
 * The sale that a payment begins.
 *
 * @param isProven whether we know that the payer signed; otherwise the sale entitles nobody but the sender of the same payment
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
 * Whether a sale was begun with the same payment for the same document, including the idempotency key. The payment itself names no
 * document, and other documents may have the same price.
 */
export function isSamePayment(sale: NewSale, {id, payload}: Payment, url: string): boolean {
  const isSameKey = sale.paymentId !== null && sale.paymentId === id;
  return isSameKey && sale.url === url && JSON.stringify(termsOf(sale).payload) === JSON.stringify(payload);
}

/** What the ledger keeps of the payment of a sale. */
export function termsOf({payload}: NewSale): Terms {
  return JSON.parse(payload) as Terms;
}

/**
 * The payment as a facilitator receives it, with the extension `bazaar`. Only the signed part comes from the buyer, because facilitators
 * publish the rest.
 */
export async function payloadOf(
  {payload, requirements}: Terms,
  {required: {resource, extensions}, discovery}: Pick<Offer, 'required' | 'discovery'>,
): Promise<PaymentPayload> {
  const published = {...extensions, ...(await discovery())};
  return {x402Version: 2, resource, accepted: requirements, payload: {...payload}, extensions: published};
}

/** The settlement of a sale in the ledger, as x402 reports it. */
export function receiptOf({network, payer, amount}: NewSale, transaction: string): SettleResponse {
  return {success: true, transaction, network: network as Network, payer, amount};
}
