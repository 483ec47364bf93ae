import {SIGN_IN_WITH_X} from '@x402/extensions/sign-in-with-x';
import {SHA256_HEADER} from '../../shared/payment-protocol.ts';
import type {Rules} from '../../shared/shapes.ts';
import type {OnTrouble} from '../payments/facilitator/facilitator.ts';
import {makeOffer} from '../payments/protocol/offer.ts';
import type {PaymentServices} from '../payments/services.ts';
import type {Documents} from '../site/documents.ts';
import type {Sign} from '../site/site-signer.ts';
import type {PaidItem} from '../site/site.ts';
import {challenger} from './challenge.ts';
import {openDelivery} from './deliver.ts';
import type {Purchase} from './purchase.ts';

export interface SaleOptions {
  readonly rules: Rules;
  readonly documents: Documents;
  readonly services: PaymentServices;
  /** Signs offers and receipts with the key of the site. */
  readonly sign?: Sign | undefined;
  /** Receives one line about each problem that prevents sales. */
  readonly onTrouble?: OnTrouble | undefined;
}

/** A request without any of these headers is answered with a challenge. */
const PURCHASE_HEADERS = ['PAYMENT-SIGNATURE', SIGN_IN_WITH_X, SHA256_HEADER];

/**
 * Returns the handler for requests of a paid document: a challenge, or a purchase. The first purchase loads the code of purchases, because
 * it would double the start time of a Worker. The gate on Node loads it when it starts.
 */
export async function paidDocument(item: PaidItem, options: SaleOptions): Promise<Purchase> {
  const {rules, documents, services, sign, onTrouble} = options;
  const offer = await makeOffer(item, rules, documents, sign);
  const challenge = challenger(offer, rules.title);
  const delivery = openDelivery(offer, item, documents, services, {sign, onTrouble});
  let purchase: Purchase | undefined;

  async function load(): Promise<Purchase> {
    const module = await import('./purchase.ts');
    // All requests share one purchase, because it counts concurrent purchases.
    return (purchase ??= module.purchase(offer, challenge, services, delivery));
  }

  return function paidDocument(c, arrivedAt) {
    if (PURCHASE_HEADERS.every(name => c.req.header(name) === undefined)) return challenge(c);
    return purchase ? purchase(c, arrivedAt) : load().then(loaded => loaded(c, arrivedAt));
  };
}
