import type {SettleResponse} from '@x402/core/types';
import {OFFER_RECEIPT} from '../../../shared/payment-protocol.ts';
import type {NewSale} from '../../ledger/sale.ts';
import type {Sign} from '../../site/site-signer.ts';
import type {Snapshot} from './signed-offers.ts';

const SCHEMA = {type: 'object', required: ['receipt'], properties: {receipt: {type: 'object'}}};

/**
 * Adds a signed receipt to the answer of a settlement (x402, extension `offer-receipt`): payer, payee and amount, and the digest of the
 * document that was sent. One signature covers everything, so the digest cannot be combined with the payment for another document.
 *
 * @param issuedAt milliseconds since 1970
 */
export async function withReceipt(
  settled: SettleResponse,
  {network, asset, payer, payTo, amount, price, url}: NewSale,
  {sha256, as_of}: Pick<Snapshot, 'sha256' | 'as_of'>,
  sign: Sign,
  issuedAt: number,
): Promise<SettleResponse> {
  const {transaction} = settled;
  const signature = await sign({
    ...{version: 1, network, resourceUrl: url, payer, issuedAt: Math.floor(issuedAt / 1000)},
    ...(transaction && {transaction}),
    ...{asset, payTo, amount, price, sha256, as_of},
  });
  const extension = {info: {receipt: {format: 'jws', signature}}, schema: SCHEMA};
  return {...settled, extensions: {...settled.extensions, [OFFER_RECEIPT]: extension}};
}
