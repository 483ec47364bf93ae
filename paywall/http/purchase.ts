import {decodePaymentRequiredHeader, decodePaymentResponseHeader} from '@x402/core/http';
import {ExactEvmScheme} from '@x402/evm/exact/server';
import {paymentMiddlewareFromHTTPServer, x402HTTPResourceServer, x402ResourceServer} from '@x402/hono';
import type {Context, MiddlewareHandler, Next} from 'hono';
import type {Rules} from '../../shared/shapes.ts';
import {Cashier} from '../payments/cashier.ts';
import {readClaim, untimely, type Claim} from '../payments/claim.ts';
import {debtTo} from '../payments/debt.ts';
import {acceptsOf, type Offer} from '../payments/offer.ts';
import {INVALID_SIGNATURE, signatureCheck} from '../payments/signature.ts';
import {saleOf} from '../payments/terms.ts';
import {UNAVAILABLE, type Till} from '../payments/till.ts';
import {UnderWay} from '../payments/under-way.ts';
import {challenge, type Refusal} from './challenge.ts';
import type {Confirm} from './confirm.ts';
import {delayed, isDelay} from './delayed.ts';
import type {GateEnv} from './exact-path.ts';
import type {HandOut} from './hand-out.ts';
import {problem, type Problem} from './problem.ts';

/**
 * Lets a request through to the document of an offer once its payment is verified, and settles it when the document is
 * in memory; or, where its payer has paid for the document before and not got it, without settling it. Everybody else is
 * asked for money or told what is wrong; nothing that `@x402/hono` or a facilitator says reaches a buyer unread.
 */
export async function purchase(
  offer: Offer,
  site: Rules,
  till: Till,
  {confirm, handOut}: {readonly confirm: Confirm; readonly handOut: HandOut},
): Promise<MiddlewareHandler<GateEnv>> {
  const cashier = new Cashier(offer, till);
  // The cashier knows a sale by its claim alone: a copy of the payment must not be taken for it.
  const sales = new UnderWay(Number.POSITIVE_INFINITY, 1);
  const server = new x402ResourceServer(cashier).register('eip155:*', new ExactEvmScheme());
  const pay = await paymentMiddleware(server, offer, site);
  const signedBy = new Map(offer.requirements.map(asked => [asked, signatureCheck(asked, till.recover)]));

  return async function purchase(c, next) {
    const refuse = (refusal?: Refusal) => challenge(c, offer, site.title, refusal);
    const signature = c.req.header('PAYMENT-SIGNATURE');
    if (signature === undefined) return refuse();
    const reading = readClaim(signature, offer);
    if ('reason' in reading) return refuse(reading);
    const {claim, payload} = reading;
    const requirements = server.findMatchingRequirements(offer.requirements, payload);
    if (!requirements) return refuse({reason: 'No matching payment requirements'});
    const late = untimely(claim, till.clock() / 1000, requirements.maxTimeoutSeconds);
    const refuseLate = async (reason: string) =>
      (await till.facilitator.clockIsOff()) ? delayed(c, 'unavailable') : refuse({reason});
    // A payment that its buyer has named may have been settled before it ran out.
    if (late && claim.id === null) return refuseLate(late);
    const signer = await signedBy.get(requirements)?.(claim);
    if (!signer || signer === 'nobody') return refuse({reason: INVALID_SIGNATURE});

    const sale = saleOf(claim, offer, requirements, till);
    const fresh = {claim, requirements, signer, sale, isTimely: !late};
    const debt = await debtTo(fresh, offer, till).catch(() => UNAVAILABLE);
    switch (debt.kind) {
      case 'refused':
        return refuse(debt);
      case 'delayed':
        return delayed(c, debt.delay);
      case 'conflict':
        c.set('reason', 'conflict');
        return problem(conflict);
      case 'owed':
        await next();
        await confirm(c, debt.sale, debt.receipt);
        if (debt.hand) handOut(c, debt.hand);
        return undefined;
      case 'nothing':
        return late ? refuseLate(late) : sell(c, next, claim);
    }
  };

  async function sell(c: Context<GateEnv, string>, next: Next, {key}: Claim) {
    const isAlone = await sales.run(key, async () => {
      const early = await pay(c, next);
      if (early) c.res = early;
      const hand = cashier.handOf(key);
      const settled = c.res.headers.get('PAYMENT-RESPONSE');
      if (hand && settled) await confirm(c, hand.sale, decodePaymentResponseHeader(settled));
      if (hand) handOut(c, hand);
      if (c.res.status !== 200) await answerInstead(c, offer, site.title);
      return true;
    });
    return isAlone ? undefined : delayed(c, 'in_flight');
  }
}

/** `@x402/hono` on one path. It needs no facilitator to start, so it never ends the process for the lack of one. */
async function paymentMiddleware(server: x402ResourceServer, offer: Offer, site: Rules): Promise<MiddlewareHandler> {
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

const conflict: Problem = {
  status: 409,
  title: 'Payment identifier in use',
  detail: 'Another payment has this payment-identifier. This request charges nothing. Take a new identifier.',
  isLasting: true,
};

/** Replaces an answer of `@x402/hono` that is no document. */
async function answerInstead(c: Context<GateEnv>, offer: Offer, siteTitle: string) {
  const answer = c.res;
  if (answer.headers.get('Content-Type') === 'application/problem+json') return; // our own: no document to deliver
  replace(c, new Response()); // without the headers of the answer, which the next one would inherit
  if (answer.status < 500) {
    replace(c, await challenge(c, offer, siteTitle, refusalIn(answer)));
    return;
  }
  const {error} = (await answer.json()) as {error?: string};
  replace(c, delayed(c, isDelay(error) ? error : 'unavailable'));
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
