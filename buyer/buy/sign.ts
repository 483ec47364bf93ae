import {encodePaymentSignatureHeader} from '@x402/core/http';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {generatePaymentId, PAYMENT_IDENTIFIER} from '@x402/extensions/payment-identifier';
import type {TypedDataDefinition} from 'viem';
import {InputError, refuse} from '../../shared/fault.ts';
import {PROOF_SECONDS, type Wallet} from './authorize.ts';
import type {Consent} from './consent.ts';
import {limitFaults, type Limits} from './limits.ts';
import type {Offer} from './offer.ts';
import type {Payment} from './payments.ts';

/** The wallet and limits for a payment or a proof. */
export interface SigningContext extends Limits {
  readonly wallet: Wallet;
}

/** The maximum number of seconds by which a site's clock may be behind. */
const MOST_BEHIND = 60;
/** The maximum number of seconds by which it may be ahead: a proof must arrive before it expires there. */
const MOST_AHEAD = 3;

/** Signs a payment with an idempotency key, so that it can be sent again. Resolves after it is recorded. */
export function signPayment(
  offer: Offer,
  consent: Consent,
  context: SigningContext,
): Promise<Payment & {header: string}> {
  return sign('payment', offer, consent, context, offer.terms.requirements.maxTimeoutSeconds);
}

/**
 * Signs an authorization that identifies the buyer and expires after five seconds, by this clock and the site's. With it, a gate delivers a
 * document that was paid but not delivered. No token accepts a proof, because it becomes valid only when it expires. Throws `InputError` if
 * the clocks differ too much.
 */
export function signProof(
  offer: Offer,
  consent: Consent,
  context: SigningContext,
): Promise<Payment & {header: string}> {
  const ahead = offer.terms.ahead / 1000;
  if (ahead < -MOST_BEHIND || ahead > MOST_AHEAD) {
    const where = ahead > 0 ? 'ahead of' : 'behind';
    const rule = `has a clock that is ${Math.round(Math.abs(ahead))} s ${where} the clock of this machine`;
    throw new InputError({code: 'FZ607', subject: offer.site.origin, rule});
  }
  return sign('proof', offer, consent, context, Math.floor(PROOF_SECONDS + Math.min(0, ahead)));
}

/** Checks the limits, and records the signature on disk before it is returned. It counts as spent from then on. */
async function sign(
  kind: Payment['kind'],
  offer: Offer,
  consent: Consent,
  {wallet, ...limits}: SigningContext,
  maxTimeoutSeconds: number,
): Promise<Payment & {header: string}> {
  const {
    entry,
    document: {name, listed},
    site,
    terms,
  } = offer;
  const {requirements} = terms;
  refuse(limitFaults(offer, limits));
  const signedAt = new Date().toISOString();
  const scheme = new ExactEvmScheme({
    address: wallet.address,
    // The package types typed data less strictly than viem.
    signTypedData: typed => {
      const data = typed as TypedDataDefinition;
      return wallet.authorize({kind, offer, data: kind === 'proof' ? neverValid(data) : data}, consent);
    },
  });
  const {payload} = await scheme.createPaymentPayload(2, {...requirements, maxTimeoutSeconds});
  // The exact scheme with EIP-3009 has an `authorization`. The package types the payload for all schemes.
  const authorization = payload['authorization'] as Record<'nonce' | 'validAfter' | 'validBefore', string>;
  if (kind === 'proof') authorization.validAfter = authorization.validBefore;
  const {nonce, validBefore} = authorization;
  const header = encodePaymentSignatureHeader({
    x402Version: 2,
    resource: {url: listed.url},
    accepted: requirements,
    payload,
    extensions: {
      snapshot: {info: {sha256: listed.sha256, as_of: entry.as_of}},
      [PAYMENT_IDENTIFIER]: {info: {required: false, id: generatePaymentId()}},
    },
  });
  const {network, asset, payTo, amount} = requirements;
  const payment = {
    kind,
    site: site.origin,
    ...{name, sha256: listed.sha256, as_of: entry.as_of},
    ...{network, asset, payTo, amount, nonce, signedAt, header},
    payer: wallet.address,
    validBefore: Number(validBefore),
    state: kind === 'payment' ? ('open' as const) : ('closed' as const),
  };
  await limits.payments.add(payment);
  return payment;
}

/** Returns the data of an authorization that becomes valid only when it expires, so that no token accepts it. */
function neverValid({message, ...data}: TypedDataDefinition): TypedDataDefinition {
  return {...data, message: {...message, validAfter: message['validBefore']}};
}
