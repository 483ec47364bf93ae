import {decodePaymentSignatureHeader} from '@x402/core/http';
import {PaymentPayloadV2Schema, z} from '@x402/core/schemas';
import {x402ResourceServer} from '@x402/core/server';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {ExactEvmScheme} from '@x402/evm/exact/server';
import {isValidPaymentId, PAYMENT_IDENTIFIER} from '@x402/extensions/payment-identifier';
import {EXPIRED, OTHER_TERMS} from '../../../shared/payment-protocol.ts';
import type {Offer} from './offer.ts';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
/** The digits of a uint256. */
const uint = z.string().regex(/^\d{1,78}$/);
/** Hex digits of the longest accepted signature, that of a contract wallet that is not deployed yet (ERC-6492). */
const SIGNATURE_DIGITS = 8192;
export const SIGNATURE = new RegExp(`^0x([0-9a-fA-F]{2}){1,${SIGNATURE_DIGITS / 2}}$`);
/** Seconds by which a buyer's clock may be ahead of ours. */
const CLOCK_SLACK = 60;
/** Matches the requirements that a client accepted with ours, as the x402 middlewares do. */
const matching = new x402ResourceServer().register('eip155:*', new ExactEvmScheme());

// Unknown members of `payload` are dropped. Otherwise a payload could contain a second authorization, and a facilitator could settle it
// instead of the one in the ledger.
const paymentSchema = PaymentPayloadV2Schema.extend({
  // Nested members of `extra` are dropped, because our own requirements have none. x402 compares them in a time that grows with the square of
  // their depth, so one header could stop the gate for seconds.
  accepted: PaymentPayloadV2Schema.shape.accepted.extend({
    extra: z
      .record(z.unknown())
      .nullish()
      .transform(extra => Object.fromEntries(Object.entries(extra ?? {}).filter(isFlat))),
  }),
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

function isFlat([, value]: readonly [string, unknown]): boolean {
  return typeof value !== 'object' || value === null;
}

/** Our extension `snapshot`, if the client echoes it, and the idempotency key, if it sends one. */
const extensionsSchema = z.object({
  snapshot: z
    .object({info: z.object({sha256: z.string()})})
    .optional()
    .catch(undefined),
  [PAYMENT_IDENTIFIER]: z
    .object({info: z.object({id: z.unknown()})})
    .optional()
    .catch(undefined),
});

export type SignedPayload = z.infer<typeof paymentSchema>['payload'];

/** A signed payment authorization (EIP-3009) as a buyer sent it. Neither its signature nor the chain has been checked. */
export interface Payment {
  /** Identifies the authorization: network, asset, payer and nonce in lower case. A token accepts each once. */
  readonly key: string;
  /** The signature and the authorization, without other members. */
  readonly payload: SignedPayload;
  /** The idempotency key (extension `payment-identifier`). A buyer that sent one may send the same payment again. Null if it sent none. */
  readonly id: string | null;
  /** The payment requirements that the buyer accepted: those of the product, unless `fault` is set. */
  readonly requirements: PaymentRequirements;
  /** Why it can only collect a document: it has an idempotency key, and requirements that are not current, for example another price. */
  readonly fault?: string;
}

/** The reason if the header does not decode to a payment of version 2. The response is 400 (x402, transports-v2/http.md). */
export const INVALID_PAYLOAD = 'invalid_payload';

/** A payment, or the reason why the header is invalid, as a code of x402. */
export type Reading = Payment | {readonly reason: string};

/**
 * Reads the header PAYMENT-SIGNATURE (x402 version 2, scheme `exact` with EIP-3009) and matches it with the payment requirements of a
 * product. Checks everything that needs no clock, signature, facilitator or chain.
 */
export function readPayment(header: string, product: Pick<Offer, 'url' | 'snapshot' | 'requirements'>): Reading {
  const parsed = paymentSchema.safeParse(decode(header));
  if (!parsed.success) return {reason: INVALID_PAYLOAD};
  const {accepted, resource, payload, extensions} = parsed.data;
  const {snapshot, [PAYMENT_IDENTIFIER]: identifier} = extensionsSchema.safeParse(extensions).data ?? {};
  const id = identifier?.info.id;
  if (id !== undefined && !isIdentifier(id)) return {reason: 'invalid_payment_identifier'};
  const {to, value} = payload.authorization;
  // The resource is not signed, so this check prevents accidents, not fraud.
  if (resource && resource.url !== product.url) return {reason: OTHER_TERMS.resource};
  if (snapshot && snapshot.info.sha256 !== product.snapshot.sha256) return {reason: OTHER_TERMS.document};
  if (to.toLowerCase() !== accepted.payTo.toLowerCase()) return {reason: OTHER_TERMS.payee};
  if (value !== accepted.amount) return {reason: OTHER_TERMS.amount};
  const matched = matching.findMatchingRequirements(product.requirements, parsed.data as PaymentPayload);
  if (!matched && id === undefined) return {reason: OTHER_TERMS.requirements};
  const requirements = matched ?? (accepted as PaymentRequirements);
  const fault = matched ? undefined : {fault: OTHER_TERMS.requirements};
  return {key: keyOf(requirements, payload), payload, id: id ?? null, requirements, ...fault};
}

/**
 * Returns why a payment is not accepted at a time, or undefined if it is. An authorization that is valid for longer than the requirements
 * allow is refused, because the ledger keeps it for as long as it is valid.
 *
 * @param now in seconds since 1970
 */
export function untimely({payload, requirements}: Payment, now: number): string | undefined {
  const {validBefore, validAfter} = payload.authorization;
  if (Number(validBefore) <= now) return EXPIRED;
  if (Number(validBefore) > now + requirements.maxTimeoutSeconds + CLOCK_SLACK) return `${EXPIRED}_too_late`;
  if (Number(validAfter) > now && !isProof(payload)) return NOT_YET_VALID;
  return undefined;
}

const NOT_YET_VALID = 'invalid_exact_evm_payload_authorization_valid_after';

/** Seconds for which a payment must still be valid to be settled: x402 `exact` requires this on EVM. */
const SETTLING_SECONDS = 6;

/** Returns why an accepted payment cannot be settled at a time, or undefined if it can. The gate does not rely on the facilitator for this. */
export function unsettleable(payment: Payment, now: number): string | undefined {
  return isProof(payment.payload) ? NOT_YET_VALID : untimely(payment, now + SETTLING_SECONDS);
}

/** True for an authorization that no token accepts at any time. Buyers sign it to collect a document that they have paid. */
function isProof({authorization: {validAfter, validBefore}}: SignedPayload): boolean {
  return Number(validAfter) >= Number(validBefore);
}

/** The key of an authorization in the ledger. */
export function keyOf(
  {network, asset}: Pick<PaymentRequirements, 'network' | 'asset'>,
  payload: SignedPayload,
): string {
  const {from, nonce} = payload.authorization;
  return [network, asset, from, nonce].join(' ').toLowerCase();
}

function isIdentifier(id: unknown): id is string {
  return typeof id === 'string' && isValidPaymentId(id);
}

function decode(header: string): unknown {
  try {
    return decodePaymentSignatureHeader(header);
  } catch {
    return undefined; // not base64 of JSON: refused like other malformed payloads
  }
}
