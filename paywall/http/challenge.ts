import {encodePaymentResponseHeader} from '@x402/core/http';
import type {SettleResponse} from '@x402/core/types';
import type {Context} from 'hono';
import {challengeBody, type ChallengeBody} from './challenge-body.ts';
import {commonHeaders} from './common-headers.ts';
import type {GateEnv} from './gate-env.ts';
import {offerPage, pagePolicy} from './offer-page.ts';
import type {Offer} from '../payments/protocol/offer.ts';
import {headerMaker} from '../payments/protocol/sign-in-terms.ts';

/** The reason code of a refused payment and, after a failed settlement, its receipt. */
export interface Refusal {
  readonly reason: string;
  /** 402 by default. */
  readonly status?: 400;
  readonly receipt?: SettleResponse | undefined;
}

/** Answers a request without a valid payment. Only the first answers return a promise. */
export type Challenge = (c: Context<GateEnv>, refusal?: Refusal) => Response | Promise<Response>;

/** Facilitators have their own reason codes, so their number is limited. */
const MOST_REASONS = 50;

/**
 * Returns a function for the 402 of an offer: the terms in PAYMENT-REQUIRED, all terms and an explanation in the body, and a page for
 * browsers. Encoding the header takes most of the time of an answer, so it is done once for each reason.
 */
export function challenger(offer: Offer, siteTitle: string): Challenge {
  const {required, signIn, link} = offer;
  const headers = new Map<string | undefined, () => string>();
  const bodyFor = challengeBody(offer);
  const common = {
    ...commonHeaders,
    ...(link !== undefined && {Link: link}),
    'Cache-Control': 'no-store',
    Vary: 'Accept, User-Agent, PAYMENT-SIGNATURE, SIGN-IN-WITH-X, Snapshot-SHA256',
  };

  function headerFor(error: string | undefined): string {
    const make = headers.get(error) ?? headerMaker({...required, ...(error && {error})}, signIn);
    if (headers.size < MOST_REASONS) headers.set(error, make);
    return make();
  }

  return function challenge(c, refusal) {
    if (refusal) c.set('reason', refusal.reason);
    const status = refusal?.status ?? 402;
    const head = {
      ...common,
      'PAYMENT-REQUIRED': headerFor(refusal?.reason),
      ...(refusal?.receipt && {'PAYMENT-RESPONSE': encodePaymentResponseHeader(refusal.receipt)}),
    };
    // The head cannot contain both a receipt and the policy of the page, and only programs read receipts.
    if (isBrowser(c) && !refusal?.receipt)
      return c.html(offerPage(offer, siteTitle), status, {...head, 'Content-Security-Policy': pagePolicy});
    const headers = {...head, 'Content-Type': 'application/json'};
    // Unlike `c.body`, this creates no `Headers`, which the server for Node does not need.
    const respond = (body: ChallengeBody) => new Response(body, {status, headers});
    const body = bodyFor(status, refusal?.reason);
    return body instanceof Promise ? body.then(respond) : respond(body);
  };
}

/** As in `@x402/hono`: programs that accept any type do not get the page. */
function isBrowser(c: Context<GateEnv>): boolean {
  return Boolean(c.req.header('Accept')?.includes('text/html') && c.req.header('User-Agent')?.includes('Mozilla'));
}
