import {encodePaymentResponseHeader} from '@x402/core/http';
import type {SettleResponse} from '@x402/core/types';
import type {Context} from 'hono';
import type {NewSale} from '../ledger/sale.ts';
import type {OnTrouble} from '../payments/facilitator.ts';
import type {Offer} from '../payments/offer.ts';
import {withReceipt, type Delivered} from '../payments/signed-receipt.ts';
import {wordsOf} from '../payments/words.ts';
import type {Sign} from '../site/site-signer.ts';
import type {GateEnv} from './exact-path.ts';

/** Says on an answer with a document by which payment it was bought. */
export type Confirm = (
  c: Context<GateEnv>,
  sale: NewSale,
  settled: SettleResponse,
  delivered?: Delivered,
) => Promise<void>;

/** Puts the header PAYMENT-RESPONSE on a document that leaves, with a signed receipt where the gate has the key of its site. */
export function confirming(
  {snapshot}: Pick<Offer, 'snapshot'>,
  clock: () => number,
  sign: Sign | undefined,
  onTrouble: OnTrouble = () => undefined,
): Confirm {
  return async function confirm(c, sale, settled, delivered = snapshot) {
    if (c.res.status !== 200) return;
    const signing = sign ? withReceipt(settled, sale, delivered, sign, clock()) : settled;
    // It is paid: who paid gets the document, with or without a signature.
    const told = await Promise.resolve(signing).catch((error: unknown) => {
      onTrouble(`A document leaves without a signed receipt: ${wordsOf(error)}`);
      return settled;
    });
    c.res.headers.set('PAYMENT-RESPONSE', encodePaymentResponseHeader(told));
  };
}
