import {encodePaymentResponseHeader} from '@x402/core/http';
import type {SettleResponse} from '@x402/core/types';
import type {Context} from 'hono';
import {commonHeaders} from './common-headers.ts';
import type {GateEnv} from './exact-path.ts';
import {offerPage, pagePolicy} from './offer-page.ts';
import type {Offer} from '../payments/protocol/offer.ts';
import {headerMaker} from '../payments/protocol/sign-in-terms.ts';
import {OFFER_RECEIPT, type SignedOffers} from '../payments/protocol/signed-offers.ts';

/** What was wrong with a payment: the reason code and, after a failed settlement, its receipt. */
export interface Refusal {
  readonly reason: string;
  readonly receipt?: SettleResponse | undefined;
}

/** Facilitators have reasons of their own. */
const MOST_REASONS = 50;
/** Headers by the offer, or by its signed offers. */
const makers = new WeakMap<Offer | SignedOffers, Map<string | undefined, () => string>>();

/** Asks for money: 402 with the terms in PAYMENT-REQUIRED, the product's event as body, and a page for browsers. */
export async function challenge(c: Context<GateEnv>, offer: Offer, siteTitle: string, refusal?: Refusal) {
  if (refusal) c.set('reason', refusal.reason);
  const headers = {
    ...commonHeaders,
    'PAYMENT-REQUIRED': await headerOf(offer, refusal?.reason),
    ...(refusal?.receipt && {'PAYMENT-RESPONSE': encodePaymentResponseHeader(refusal.receipt)}),
    Link: offer.link,
    'Cache-Control': 'no-store',
    Vary: 'Accept, User-Agent, PAYMENT-SIGNATURE, SIGN-IN-WITH-X, Snapshot-SHA256',
  };
  if (isBrowser(c))
    return c.html(offerPage(offer, siteTitle), 402, {...headers, 'Content-Security-Policy': pagePolicy});
  return c.body(offer.event, 402, {...headers, 'Content-Type': 'application/json'});
}

/** The terms, with the reason of a refusal. Encoding them takes as long as most of an answer, and there are few reasons. */
async function headerOf(offer: Offer, error?: string): Promise<string> {
  const {required, signIn} = offer;
  const signed = await offer.signed?.();
  const known = makers.get(signed ?? offer) ?? new Map<string | undefined, () => string>();
  makers.set(signed ?? offer, known);
  const extensions = {...required.extensions, ...(signed && {[OFFER_RECEIPT]: signed})};
  const make = known.get(error) ?? headerMaker({...required, ...(error && {error}), extensions}, signIn);
  if (known.size < MOST_REASONS) known.set(error, make);
  return make();
}

/** The test of `@x402/hono`: programs that take anything are not shown a page. */
function isBrowser(c: Context<GateEnv>): boolean {
  return Boolean(c.req.header('Accept')?.includes('text/html') && c.req.header('User-Agent')?.includes('Mozilla'));
}
