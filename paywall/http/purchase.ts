import {SIGN_IN_WITH_X} from '@x402/extensions/sign-in-with-x';
import type {Context} from 'hono';
import {OTHER_TERMS, SHA256_HEADER} from '../../shared/payment-protocol.ts';
import {entitlementOf, type Entitlement, type Proof} from '../payments/sales/entitlement.ts';
import {Lease} from '../payments/sales/lease.ts';
import type {Verdict} from '../payments/facilitator/facilitator.ts';
import type {Offer} from '../payments/protocol/offer.ts';
import {INVALID_PAYLOAD, readPayment, unsettleable, untimely, type Payment} from '../payments/protocol/payment.ts';
import {UNAVAILABLE} from '../payments/retry.ts';
import {LOST_AFTER_MS, type Claimant} from '../payments/limits.ts';
import type {PaymentServices} from '../payments/services.ts';
import {inTime, settle} from '../payments/sales/settle.ts';
import {
  contractSigner,
  INVALID_SIGNATURE,
  isPaymentByKey,
  isUnprovable,
  withTokenV,
} from '../payments/chain/signature.ts';
import {payloadOf, receiptOf, saleOf} from '../payments/sales/terms.ts';
import {ConcurrencyLimit} from '../../shared/concurrency-limit.ts';
import {clientOf} from './client.ts';
import type {Challenge, Refusal} from './challenge.ts';
import {NOT_DELIVERABLE, type Delivery} from './deliver.ts';
import type {GateEnv} from './gate-env.ts';
import {problem, type Problem} from './problem.ts';
import {retryLater} from './retry-later.ts';

/** Answers a request for a paid document, which arrived at this value of `performance.now()`. */
export type Purchase = (c: Context<GateEnv>, arrivedAt: number) => Response | Promise<Response>;

type Verification = Exclude<Verdict, {kind: 'valid'}> | {readonly kind: 'valid'; readonly isProven: boolean};

/**
 * Sells one paid document. A request goes through these steps, and each can end it: read the payment, find an entitlement, verify, archive
 * the document, record the sale, settle, deliver.
 */
export function purchase(
  offer: Offer,
  challenge: Challenge,
  services: PaymentServices,
  {prepare, deliver}: Delivery,
): Purchase {
  // Copies of a payment that arrive at the same time are verified once.
  const selling = new ConcurrencyLimit<'payment'>({total: Number.POSITIVE_INFINITY, payment: 1}, LOST_AFTER_MS);

  return function purchase(c, arrivedAt) {
    const header = c.req.header('PAYMENT-SIGNATURE');
    const signIn = c.req.header(SIGN_IN_WITH_X);
    const sha256 = c.req.header(SHA256_HEADER) ?? offer.snapshot.sha256;
    const buyNow = header === undefined ? undefined : () => buy(c, header, arrivedAt);
    if (signIn !== undefined) return collect(c, {kind: 'sign-in', header: signIn, sha256, client: clientOf(c)}, buyNow);
    if (sha256 !== offer.snapshot.sha256) return challenge(c, {reason: OTHER_TERMS.document});
    return buyNow ? buyNow() : challenge(c);
  };

  /** @param buyNow called if the sign-in gives no entitlement and the document is for sale */
  async function collect(
    c: Context<GateEnv>,
    signIn: Proof & {kind: 'sign-in'},
    buyNow: (() => Promise<Response>) | undefined,
  ): Promise<Response> {
    const owned = await entitlement(signIn);
    if (owned.kind === 'none') return challenge(c);
    const isForSale = signIn.sha256 === offer.snapshot.sha256;
    return owned.kind === 'refused' && isForSale && buyNow ? buyNow() : answer(c, owned);
  }

  /** Answers a payment: with a document that its payer is entitled to, or by a new sale. */
  async function buy(c: Context<GateEnv>, header: string, arrivedAt: number): Promise<Response> {
    const refuse = (refusal: Refusal) => challenge(c, refusal);
    const sent = readPayment(header, offer);
    if ('reason' in sent) return refuse({...sent, ...(sent.reason === INVALID_PAYLOAD && {status: 400})});
    const now = services.clock() / 1000;
    const late = sent.fault ?? untimely(sent, now);
    // A payment with an idempotency key may have been settled before it expired, or before its terms changed.
    if (late !== undefined && sent.id === null) return refuse({reason: late});
    const payer = sent.payload.authorization.from.toLowerCase();
    const isByKey = await isPaymentByKey(sent, services.recover);
    // It cannot buy, and without an idempotency key it collects nothing, so the ledger is not read.
    if (!isByKey && sent.id === null && isUnprovable(sent, services.chain)) return refuse({reason: INVALID_SIGNATURE});
    const payment = isByKey ? withTokenV(sent) : sent;
    const claimant = {client: clientOf(c), payer, isByKey};

    const owned = await entitlement({kind: 'payment', payment, claimant, isTimely: late === undefined});
    if (owned.kind !== 'none') return answer(c, owned);
    const reason = late ?? unsettleable(payment, now);
    if (reason !== undefined) return refuse({reason});
    return (
      (await selling.run({payment: payment.key}, () => sell(c, payment, claimant, arrivedAt))) ??
      retryLater(c, 'in_flight')
    );
  }

  /** Verifies a payment, archives the document, records the sale, settles it and delivers the document. */
  async function sell(c: Context<GateEnv>, payment: Payment, claimant: Claimant, arrivedAt: number): Promise<Response> {
    const refuse = (reason: string) => challenge(c, {reason});
    const {ledger, verifications} = services;
    const verdict = await verifications.run(claimant, () => verify(payment, claimant.isByKey));
    if (verdict.kind === 'invalid') {
      if (verdict.reason === INVALID_SIGNATURE) return refuse(verdict.reason);
      // Another gate may have sold the document for this payment since the ledger was read.
      const owned = await entitlement({kind: 'payment', payment, claimant, isTimely: true});
      return owned.kind === 'none' ? refuse(verdict.reason) : answer(c, owned);
    }
    if (verdict.kind === 'unavailable') return retryLater(c, 'unavailable');
    if (verdict.kind === 'retry') return retryLater(c, verdict.reason);

    const bytes = await prepare().catch(() => undefined);
    if (!bytes) return problem(NOT_DELIVERABLE);
    const sale = saleOf(payment, offer, services, verdict.isProven);
    const lease = await Lease.start(ledger, sale, arrivedAt).catch(() => null);
    if (!lease) return retryLater(c, lease === null ? 'unavailable' : 'in_flight');
    const outcome = await inTime(settle(lease, offer, services), lease, services);
    switch (outcome.kind) {
      case 'settled':
        return deliver(c, outcome.sale, bytes);
      case 'declined':
        return challenge(c, {
          reason: outcome.reason,
          receipt: {...receiptOf(sale, ''), success: false, errorReason: outcome.reason},
        });
      case 'unavailable':
        return retryLater(c, 'unavailable');
      default:
        return retryLater(c, 'unknown');
    }
  }

  /** The gate itself proves who signed. The facilitator's verdict is about the money. */
  async function verify(payment: Payment, isByKey: boolean): Promise<Verification> {
    const {facilitator, chain} = services;
    const signer = isByKey ? 'key' : await contractSigner(payment, chain);
    if (signer === 'forged') return {kind: 'invalid', reason: INVALID_SIGNATURE};
    if (signer === 'unavailable') return {kind: 'unavailable'};
    const verdict = await facilitator.verify(await payloadOf(payment, offer), payment.requirements);
    return verdict.kind === 'valid' ? {kind: 'valid', isProven: signer !== 'unproven'} : verdict;
  }

  async function entitlement(proof: Proof): Promise<Entitlement> {
    return entitlementOf(proof, offer, services).catch(() => UNAVAILABLE);
  }

  /** Answers a request that needs no new sale. */
  async function answer(c: Context<GateEnv>, owned: Exclude<Entitlement, {kind: 'none'}>): Promise<Response> {
    switch (owned.kind) {
      case 'entitled':
        return deliver(c, owned.sale);
      case 'refused':
        return challenge(c, owned);
      case 'conflict':
        c.set('reason', 'conflict');
        return problem(CONFLICT);
      case 'retry':
        return retryLater(c, owned.reason);
    }
  }
}

const CONFLICT: Problem = {
  status: 409,
  title: 'Payment identifier in use',
  detail: 'Another payment has this payment-identifier. This request charges nothing. Use a new identifier.',
  isLasting: true,
};
