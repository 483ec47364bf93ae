import {decodePaymentSignatureHeader} from '@x402/core/http';
import {PaymentPayloadV2Schema, z} from '@x402/core/schemas';
import type {PaymentPayload} from '@x402/core/types';
import {isValidPaymentId, PAYMENT_IDENTIFIER} from '@x402/extensions/payment-identifier';
import type {Offer} from './offer.ts';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
/** As many digits as a uint256 has. */
const uint = z.string().regex(/^\d{1,78}$/);
/** Hex digits of the longest signature that is taken: that of a contract wallet which is not deployed yet (ERC-6492). */
const SIGNATURE_DIGITS = 8192;
export const SIGNATURE = new RegExp(`^0x([0-9a-fA-F]{2}){1,${SIGNATURE_DIGITS / 2}}$`);
/** Seconds by which the clock of a buyer may be ahead of ours. */
const CLOCK_SLACK = 60;

// Unknown members of `payload` are dropped: a facilitator that found a second, different authorization in there would
// settle something else than what the ledger locks.
const claimSchema = PaymentPayloadV2Schema.extend({
  payload: z.object({
    signature: z
      .string()
      .max(2 + SIGNATURE_DIGITS)
      .regex(/^0x[0-9a-fA-F]+$/),
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

/** The extension of an offer, as a payment echoes it. Nobody has to. */
const echoSchema = z.object({snapshot: z.object({info: z.object({sha256: z.string()})})});

/** The buyer's name for a payment, where they gave it one. */
const identifierSchema = z.object({[PAYMENT_IDENTIFIER]: z.object({info: z.object({id: z.unknown()})})});

type SignedPayload = z.infer<typeof claimSchema>['payload'];

/** A payment that a buyer has signed and nobody has checked with the chain yet. */
export interface Claim {
  /** The authorization: network, asset, payer and nonce. A token lets each be used once. */
  readonly key: string;
  /** Signature and authorization, nothing else. */
  readonly payload: SignedPayload;
  /** The buyer's own name for it (extension `payment-identifier`): who knows it may ask again with the same payment. */
  readonly id: string | null;
}

/** The claim, or the reason why it is none, in the words of x402. */
export type Reading = {readonly claim: Claim; readonly payload: PaymentPayload} | {readonly reason: string};

/**
 * Reads the header PAYMENT-SIGNATURE (x402 version 2, scheme `exact` by EIP-3009) sent for the document of an
 * offer. What can be seen to be wrong without a clock, a facilitator or a chain is refused here.
 */
export function readClaim(header: string, offer: Pick<Offer, 'url' | 'snapshot'>): Reading {
  const parsed = claimSchema.safeParse(decode(header));
  if (!parsed.success) return {reason: 'invalid_payload'};
  const {accepted, resource, payload, extensions} = parsed.data;
  const id = identifierIn(extensions);
  if (id !== undefined && !isIdentifier(id)) return {reason: 'invalid_payment_identifier'};
  const {to, value} = payload.authorization;
  // What the client says it pays for is not signed: this stops accidents, not fraud.
  if (resource && resource.url !== offer.url) return {reason: 'resource_mismatch'};
  const echo = echoSchema.safeParse(extensions).data;
  if (echo && echo.snapshot.info.sha256 !== offer.snapshot.sha256) return {reason: 'document_changed'};
  if (to.toLowerCase() !== accepted.payTo.toLowerCase()) return {reason: 'invalid_exact_evm_recipient_mismatch'};
  if (value !== accepted.amount) return {reason: 'invalid_exact_evm_payload_authorization_value_mismatch'};
  return {claim: claimOn(accepted, payload, id ?? null), payload: parsed.data as PaymentPayload};
}

/** The claim in a payload that `readClaim` has let pass. */
export function claimIn(payload: PaymentPayload): Claim {
  const id = identifierIn(payload.extensions);
  return claimOn(payload.accepted, claimSchema.shape.payload.parse(payload.payload), isIdentifier(id) ? id : null);
}

/**
 * Why the claim cannot be settled at this moment, in seconds since 1970. What is valid for longer than `maxTimeoutSeconds`,
 * which the terms ask for, is refused: the ledger keeps a claim for as long as it is valid.
 */
export function untimely(claim: Claim, now: number, maxTimeoutSeconds: number): string | undefined {
  const {validBefore, validAfter} = claim.payload.authorization;
  if (isOver(claim, now)) return 'invalid_exact_evm_payload_authorization_valid_before';
  if (Number(validBefore) > now + maxTimeoutSeconds + CLOCK_SLACK)
    return 'invalid_exact_evm_payload_authorization_valid_before_too_late';
  if (Number(validAfter) > now) return 'invalid_exact_evm_payload_authorization_valid_after';
  return undefined;
}

/** Whether no token takes the claim any more, in seconds since 1970. */
export function isOver({payload: {authorization}}: Claim, now: number): boolean {
  return Number(authorization.validBefore) <= now;
}

function claimOn({network, asset}: {network: string; asset: string}, payload: SignedPayload, id: Claim['id']): Claim {
  const {from, nonce} = payload.authorization;
  return {key: [network, asset, from, nonce].join(' ').toLowerCase(), payload, id};
}

function identifierIn(extensions: unknown): unknown {
  return identifierSchema.safeParse(extensions).data?.[PAYMENT_IDENTIFIER].info.id;
}

function isIdentifier(id: unknown): id is string {
  return typeof id === 'string' && isValidPaymentId(id);
}

function decode(header: string): unknown {
  try {
    return decodePaymentSignatureHeader(header);
  } catch {
    return undefined; // not base64 of JSON: refused like every other malformed payload
  }
}
