import {encodePaymentSignatureHeader} from '@x402/core/http';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {generatePaymentId, PAYMENT_IDENTIFIER} from '@x402/extensions/payment-identifier';
import type {Address, TypedDataDefinition} from 'viem';
import {InputError} from '../../shared/fault.ts';
import type {Offer} from './offer.ts';
import type {Payment} from './payments.ts';

/** The account that pays: an address, and its signatures (EIP-712). Accounts of viem are such. */
export interface Account {
  readonly address: Address;
  /** By EIP-191: where it is there, a document that was bought on another machine is downloaded again. */
  readonly signMessage?: (message: {message: string}) => Promise<`0x${string}`>;
  signTypedData(data: TypedDataDefinition): Promise<`0x${string}`>;
}

/** Seconds. Whoever settles wants six of them at least, and the gate takes it as long as it is valid. */
const PROOF_SECONDS = 5;
/** Seconds by which the clock of a site may be behind ours. */
const MOST_BEHIND = 60;
/** Seconds by which it may be ahead: a proof still has to arrive before it is over there. */
const MOST_AHEAD = 3;

/** Signs a payment for an offer, named so that it can be sent again. It is not written down yet. */
export function signPayment(offer: Offer, account: Account): Promise<Payment & {header: string}> {
  return sign('payment', offer, account, offer.terms.requirements.maxTimeoutSeconds);
}

/**
 * Signs an authorization that shows who asks and runs out in five seconds, by our clock and by that of the site: a gate that owes the payer
 * a document hands it out, and where nothing is owed nobody settles it (x402 `exact` on EVM asks for six seconds, by a third clock). Throws
 * `InputError` where the clocks differ too much.
 */
export function signProof(offer: Offer, account: Account): Promise<Payment & {header: string}> {
  const ahead = offer.terms.ahead / 1000;
  if (ahead < -MOST_BEHIND || ahead > MOST_AHEAD) {
    const where = ahead > 0 ? 'ahead of' : 'behind';
    const rule = `has a clock that is ${where} ours by ${Math.round(Math.abs(ahead))} s: one of them is wrong`;
    throw new InputError({file: offer.site.origin, rule});
  }
  return sign('proof', offer, account, Math.floor(PROOF_SECONDS + Math.min(0, ahead)));
}

async function sign(kind: Payment['kind'], offer: Offer, account: Account, maxTimeoutSeconds: number) {
  const {entry, site, terms} = offer;
  const {requirements} = terms;
  const signedAt = new Date().toISOString();
  const scheme = new ExactEvmScheme({
    address: account.address,
    // The package describes typed data more loosely than viem does; the values are the same.
    signTypedData: data => account.signTypedData(data as TypedDataDefinition),
  });
  const {payload} = await scheme.createPaymentPayload(2, {...requirements, maxTimeoutSeconds});
  // The exact scheme over EIP-3009 puts it there; the package types the payload of any scheme.
  const {nonce, validBefore} = payload['authorization'] as Record<'nonce' | 'validBefore', string>;
  const header = encodePaymentSignatureHeader({
    x402Version: 2,
    resource: {url: entry.paid.url},
    accepted: requirements,
    payload,
    extensions: {
      snapshot: {info: {sha256: entry.paid.sha256, as_of: entry.as_of}},
      [PAYMENT_IDENTIFIER]: {info: {required: false, id: generatePaymentId()}},
    },
  });
  const {network, asset, payTo, amount} = requirements;
  return {
    kind,
    site: site.origin,
    name: entry.name,
    sha256: entry.paid.sha256,
    ...{network, asset, payTo, amount, nonce, signedAt, header},
    payer: account.address,
    validBefore: Number(validBefore),
    state: kind === 'payment' ? ('open' as const) : ('closed' as const),
  };
}
