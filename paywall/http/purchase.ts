import {decodePaymentRequiredHeader, decodePaymentResponseHeader} from '@x402/core/http';
import {ExactEvmScheme} from '@x402/evm/exact/server';
import {paymentMiddlewareFromHTTPServer, x402HTTPResourceServer, x402ResourceServer} from '@x402/hono';
import type {Context, MiddlewareHandler} from 'hono';
import {Cashier} from '../payments/cashier.ts';
import type {Delay, Till} from '../payments/cashier.ts';
import {challenge} from './challenge.ts';
import type {Refusal} from './challenge.ts';
import {readClaim} from '../payments/claim.ts';
import type {Claim} from '../payments/claim.ts';
import type {GateEnv} from './exact-path.ts';
import {acceptsOf} from '../payments/offer.ts';
import type {Offer} from '../payments/offer.ts';
import {problem} from './problem.ts';
import type {Rules} from '../../shared/shapes.ts';

/**
 * Lets a request through to the document of an offer once its payment is verified, and settles it when the document is
 * in memory. Everybody else is asked for money or told what is wrong; nothing that `@x402/hono` or a facilitator says
 * reaches a buyer unread.
 */
export async function purchase(offer: Offer, site: Rules, till: Till): Promise<MiddlewareHandler<GateEnv>> {
  const pay = await paymentMiddleware(offer, site, till);
  return async function purchase(c, next) {
    const signature = c.req.header('PAYMENT-SIGNATURE');
    if (signature === undefined) return challenge(c, offer, site.title);
    const reading = readClaim(signature, offer.url);
    if ('reason' in reading) return challenge(c, offer, site.title, reading);
    const signals = [c.req.raw.signal, (c.env as Partial<GateEnv['Bindings']> | undefined)?.broken];
    const early = await pay(c, next);
    if (early) c.res = early;
    if (c.res.status !== 200) await answerInstead(c, offer, site.title);
    else
      for (const signal of signals)
        whenAborted(signal, () => {
          stillOwe(till, offer, reading.claim);
        });
    return undefined;
  };
}

/** `@x402/hono` on one path. It needs no facilitator to start, so it never ends the process for the lack of one. */
async function paymentMiddleware(offer: Offer, site: Rules, till: Till): Promise<MiddlewareHandler> {
  const server = new x402ResourceServer(new Cashier(offer, till)).register('eip155:*', new ExactEvmScheme());
  const {url, description, mimeType} = offer.required.resource;
  const http = new x402HTTPResourceServer(server, {
    [`GET ${offer.rule.path}`]: {
      accepts: acceptsOf(offer.rule, site),
      resource: url,
      ...(description && {description}),
      ...(mimeType && {mimeType}),
    },
  });
  await http.initialize();
  return paymentMiddlewareFromHTTPServer(http, undefined, undefined, false);
}

function whenAborted(signal: AbortSignal | undefined, act: () => void): void {
  if (signal?.aborted) act();
  else signal?.addEventListener('abort', act, {once: true});
}

/** The buyer hung up before it had the document: the same payment fetches it later. */
function stillOwe({ledger}: Till, offer: Offer, claim: Claim): void {
  const state = ledger.find(claim)?.state;
  if (state?.kind === 'spent') ledger.write(claim, offer.rule.path, {kind: 'owed', receipt: state.receipt});
}

const delays: Record<Delay, string> = {
  unavailable: 'Payments cannot be taken at the moment. Nothing has been charged. Send the same payment again later.',
  in_flight: 'This payment is being settled for another request. Send the same payment again for the outcome.',
  unknown: 'The outcome of this payment is not known yet. Do not sign another: send the same payment again.',
  expired:
    'This payment has expired, and whether it was settled is not known. See on the chain whether its nonce was used before you sign another.',
};

/** Replaces the answer of `@x402/hono`. */
async function answerInstead(c: Context<GateEnv>, offer: Offer, siteTitle: string) {
  const answer = c.res;
  if (answer.headers.get('Content-Type') === 'application/problem+json') return; // our own: no document to deliver
  replace(c, new Response()); // without the headers of the answer, which the next one would inherit
  if (answer.status < 500) {
    replace(c, await challenge(c, offer, siteTitle, refusalIn(answer)));
    return;
  }
  const {error} = (await answer.json()) as {error?: string};
  const delay = error !== undefined && Object.hasOwn(delays, error) ? (error as Delay) : 'unavailable';
  const status = delay === 'in_flight' ? 409 : 503;
  replace(c, problem({status, title: 'Payment not settled', detail: delays[delay]}));
}

/** Hono merges the headers of an answer into the one that takes its place, unless there was none. */
function replace(c: Context<GateEnv>, response: Response): void {
  c.res = undefined;
  c.res = response;
}

function refusalIn({headers}: Response): Refusal {
  const response = headers.get('PAYMENT-RESPONSE');
  const receipt = response ? decodePaymentResponseHeader(response) : undefined;
  const required = headers.get('PAYMENT-REQUIRED');
  const error = required ? decodePaymentRequiredHeader(required).error : undefined;
  return {reason: receipt?.errorReason ?? error ?? 'payment_rejected', receipt};
}
