import {decodePaymentSignatureHeader} from '@x402/core/http';
import {PaymentPayloadV2Schema, z} from '@x402/core/schemas';
import type {PaymentPayload} from '@x402/core/types';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const uint = z.string().regex(/^\d{1,78}$/);

// Unknown members of `payload` are dropped: a facilitator that found a second, different authorization in there would
// settle something else than what the ledger locks.
const claimSchema = PaymentPayloadV2Schema.extend({
  payload: z.object({
    signature: z.string().regex(/^0x[0-9a-fA-F]+$/),
    authorization: z.object({
      from: address,
      to: address,
      value: uint,
      validAfter: uint,
      validBefore: uint,
      nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
    }),
  }),
});

type SignedPayload = z.infer<typeof claimSchema>['payload'];

/** A payment that a buyer has signed and nobody has checked with the chain yet. */
export interface Claim {
  /** The authorization: network, asset, payer and nonce. A token lets each be used once. */
  readonly key: string;
  /** Signature and authorization, nothing else. */
  readonly payload: SignedPayload;
}

/** The claim, or the reason why it is none, in the words of x402. */
export type Reading = {readonly claim: Claim} | {readonly reason: string};

/**
 * Reads the header PAYMENT-SIGNATURE (x402 version 2, scheme `exact` by EIP-3009) sent for the document at `url`. What
 * can be seen to be wrong without a clock, a facilitator or a chain is refused here.
 */
export function readClaim(header: string, url: string): Reading {
  const parsed = claimSchema.safeParse(decode(header));
  if (!parsed.success) return {reason: 'invalid_payload'};
  const {accepted, resource, payload} = parsed.data;
  const {to, value} = payload.authorization;
  // What the client says it pays for is not signed: this stops accidents, not fraud.
  if (resource && resource.url !== url) return {reason: 'resource_mismatch'};
  if (to.toLowerCase() !== accepted.payTo.toLowerCase()) return {reason: 'invalid_exact_evm_recipient_mismatch'};
  if (value !== accepted.amount) return {reason: 'invalid_exact_evm_payload_authorization_value_mismatch'};
  return {claim: claimOn(accepted, payload)};
}

/** The claim in a payload that `readClaim` has let pass. */
export function claimIn(payload: PaymentPayload): Claim {
  return claimOn(payload.accepted, claimSchema.shape.payload.parse(payload.payload));
}

/** Why the claim cannot be settled at this moment, in seconds since 1970. */
export function untimely({payload: {authorization}}: Claim, now: number): string | undefined {
  if (Number(authorization.validBefore) <= now) return 'invalid_exact_evm_payload_authorization_valid_before';
  if (Number(authorization.validAfter) > now) return 'invalid_exact_evm_payload_authorization_valid_after';
  return undefined;
}

function claimOn({network, asset}: {network: string; asset: string}, payload: SignedPayload): Claim {
  const {from, nonce} = payload.authorization;
  return {key: [network, asset, from, nonce].join(' ').toLowerCase(), payload};
}

function decode(header: string): unknown {
  try {
    return decodePaymentSignatureHeader(header);
  } catch {
    return undefined; // not base64 of JSON: refused like every other malformed payload
  }
}
