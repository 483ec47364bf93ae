import {encodePaymentSignatureHeader} from '@x402/core/http';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {generatePaymentId, PAYMENT_IDENTIFIER} from '@x402/extensions/payment-identifier';
import type {TypedDataDefinition} from 'viem';
import {counted} from '../../shared/counted.ts';
import {refuse, type Fault} from '../../shared/fault.ts';
import type {Wallet} from './authorize.ts';
import type {Consent} from './consent.ts';
import {limitFaults, type Payment} from './payments.ts';
import type {Offer} from './offer.ts';
import type {PurchaseContext} from './take-document.ts';

/**
 * Signs a payment with an idempotency key, so that it can be sent again. Checks the limits, and records the payment on disk before it is
 * returned. It counts as spent from then on.
 */
export async function signPayment(
  offer: Offer,
  consent: Consent,
  {wallet, ...limits}: PurchaseContext,
): Promise<Payment & {header: string}> {
  const {document, entry, site} = offer;
  const {network, asset, payTo, amount} = offer.terms.requirements;
  refuse([...limitFaults(offer, limits), ...clockFaults(offer)]);
  const signedAt = new Date().toISOString();
  const {header, nonce, validBefore} = await signedHeader('payment', offer, consent, wallet);
  const payment = {
    site: site.origin,
    ...{name: document.name, sha256: document.listed.sha256, as_of: entry.as_of},
    ...{network, asset, payTo, amount, nonce, signedAt, header},
    payer: wallet.address,
    validBefore: Number(validBefore),
    state: 'open' as const,
  };
  await limits.payments.add(payment);
  return payment;
}

/** A gate refuses an authorization that expires within seconds, or more than a minute later than it requires. */
const LEAST_SECONDS = 10;
const MOST_SECONDS_MORE = 60;

/**
 * Returns an error if the site would refuse an authorization that is signed with this clock. The payment would stay open until it expires
 * by this clock.
 */
function clockFaults({url, terms: {ahead, requirements}}: Offer): Fault[] {
  const {maxTimeoutSeconds} = requirements;
  const seconds = maxTimeoutSeconds - ahead / 1000;
  // Half of them, because a site may require less than LEAST_SECONDS, and the clock is then still right.
  const least = Math.min(LEAST_SECONDS, maxTimeoutSeconds / 2);
  if (seconds >= least && seconds <= maxTimeoutSeconds + MOST_SECONDS_MORE) return [];
  const minutes = counted(Math.max(1, Math.round(Math.abs(ahead) / 60_000)), 'minute');
  const rule = `was not paid: the clock of this machine is ${minutes} ${ahead > 0 ? 'behind' : 'ahead of'} that of the site`;
  return [{code: 'FZ605', url, rule, fix: 'Correct the clock.'}];
}

/**
 * Signs an authorization that identifies the buyer. With it, a gate delivers a document that was paid but not delivered. No token accepts
 * it, because it becomes valid only when it expires. Returns the header PAYMENT-SIGNATURE.
 */
export async function signProof(offer: Offer, consent: Consent, wallet: Wallet): Promise<string> {
  return (await signedHeader('proof', offer, consent, wallet)).header;
}

async function signedHeader(kind: 'payment' | 'proof', offer: Offer, consent: Consent, wallet: Wallet) {
  const {listed} = offer.document;
  const {requirements} = offer.terms;
  const scheme = new ExactEvmScheme({
    address: wallet.address,
    // The package types typed data less strictly than viem.
    signTypedData: typed => {
      const data = typed as TypedDataDefinition;
      return wallet.authorize({kind, offer, data: kind === 'proof' ? neverValid(data) : data}, consent);
    },
  });
  const {payload} = await scheme.createPaymentPayload(2, requirements);
  // The exact scheme with EIP-3009 has an `authorization`. The package types the payload for all schemes.
  const authorization = payload['authorization'] as Record<'nonce' | 'validAfter' | 'validBefore', string>;
  if (kind === 'proof') authorization.validAfter = authorization.validBefore;
  const header = encodePaymentSignatureHeader({
    x402Version: 2,
    resource: {url: listed.url},
    accepted: requirements,
    payload,
    extensions: {
      snapshot: {info: {sha256: listed.sha256, as_of: offer.entry.as_of}},
      [PAYMENT_IDENTIFIER]: {info: {required: false, id: generatePaymentId()}},
    },
  });
  return {header, ...authorization};
}

/** Returns the data of an authorization that becomes valid only when it expires. */
function neverValid({message, ...data}: TypedDataDefinition): TypedDataDefinition {
  return {...data, message: {...message, validAfter: message['validBefore']}};
}
