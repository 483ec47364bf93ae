import {bytesToHex, domainSeparator, keccak256, stringToHex} from 'viem';
import type {Address, Hex} from 'viem';
import type {PaymentRequirements} from '@x402/core/types';
import type {Chain} from './chain.ts';
import type {Payment} from '../protocol/payment.ts';

/** The code of x402 for a payment that its payer did not sign. */
export const INVALID_SIGNATURE = 'invalid_exact_evm_signature';

/**
 * Recovers the address whose key signed a digest of 32 bytes. The signature has 65 bytes: r, s and v, which is 0, 1, 27
 * or 28. Throws if no key can have made it.
 */
export type Recover = (digest: Uint8Array, signature: Uint8Array) => string | Promise<string>;

/** The signer of a payment. */
export type Signer =
  /** The payer's key. */
  | 'key'
  /** The payer's contract, according to our own node. */
  | 'contract'
  /** Neither the payer's key nor its contract. */
  | 'forged'
  /** Possibly the payer's contract: the gate cannot verify it without a node of that chain. */
  | 'unproven'
  /** The node does not answer. */
  | 'unavailable';

const TYPE_HASH = keccak256(
  stringToHex(
    'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
  ),
);
/** The ABI encodes each field in 32 bytes. In hex digits. */
const WORD_DIGITS = 64;
/** Half the order of secp256k1. A larger `s` is a second encoding of a signature, which USDC refuses. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
/** 65 bytes in hex, with `0x`. */
const SIGNATURE_LENGTH = 132;
const domains = new WeakMap<PaymentRequirements, Hex>();

/** True if the payer's key signed a payment as `TransferWithAuthorization` (EIP-3009, EIP-712) of the required token. */
export function isPaymentByKey(payment: Payment, recover: Recover): Promise<boolean> {
  const {authorization, signature} = payment.payload;
  return isByKey(authorization.from, () => digestOf(payment), signature as Hex, recover);
}

/** Returns a payment by the payer's key, with 27 or 28 as v. Some wallets sign with 0 or 1, which USDC refuses. */
export function withTokenV(payment: Payment): Payment {
  const {payload} = payment;
  const signature = payload.signature.replace(/0([01])$/, (_, parity) => (parity === '0' ? '1b' : '1c'));
  return {...payment, payload: {...payload, signature}};
}

/** Finds out with our own node whether the payer's contract signed a payment that no key signed. */
export async function contractSigner(payment: Payment, chain: Chain | undefined): Promise<Exclude<Signer, 'key'>> {
  const {authorization, signature} = payment.payload;
  const withoutNode = isKeyLength(signature) ? 'forged' : 'unproven';
  if (!chain) return withoutNode;
  const signed = {address: authorization.from as Address, signature: signature as Hex};
  let hash: Hex;
  try {
    hash = bytesToHex(digestOf(payment));
  } catch {
    return 'forged'; // a number that is larger than uint256
  }
  const isSigned = await chain.isSigned(payment.requirements.network, {...signed, hash});
  if (isSigned === 'no node') return withoutNode;
  return isSigned === undefined ? 'unavailable' : isSigned ? 'contract' : 'forged';
}

/**
 * True if a payment that no key signed is refused at once: without a node, only another length of the signature shows that a
 * contract may have signed. Otherwise forged payments would flood the facilitator.
 */
export function isUnprovable({payload}: Payment, chain: Chain | undefined): boolean {
  return !chain && isKeyLength(payload.signature);
}

/** True if the key of an address signed a digest. False if the digest cannot be computed. */
export async function isByKey(
  address: string,
  digest: () => Uint8Array,
  signature: Hex,
  recover: Recover,
): Promise<boolean> {
  if (!isKeyLength(signature) || !isWellFormed(signature)) return false;
  try {
    const signer = await recover(digest(), Buffer.from(signature.slice(2), 'hex'));
    return signer.toLowerCase() === address.toLowerCase();
  } catch {
    return false; // r is on no point of the curve, or a number is larger than uint256
  }
}

/** True if a signature has the 65 bytes of a key's signature. A contract wallet may use the same length. */
export function isKeyLength(signature: string): boolean {
  return signature.length === SIGNATURE_LENGTH;
}

/** True if the token accepts r, s and v. `withTokenV` translates 0 and 1 to 27 and 28. */
function isWellFormed(signature: Hex): boolean {
  const [s, v] = [signature.slice(66, 130), signature.slice(130)] as const;
  return BigInt(`0x${s}`) <= HALF_ORDER && [0, 1, 27, 28].includes(Number(`0x${v}`));
}

/** Returns the digest of viem's `hashTypedData`, but hashes domain and type only once. Throws if a number does not fit in uint256. */
function digestOf({payload: {authorization}, requirements}: Payment): Uint8Array {
  const {from, to, value, validAfter, validBefore, nonce} = authorization;
  const struct = [TYPE_HASH, from, to, value, validAfter, validBefore, nonce].map(wordOf).join('');
  const message = ['1901', domainOf(requirements).slice(2), keccak256(Buffer.from(struct, 'hex')).slice(2)].join('');
  return keccak256(Buffer.from(message, 'hex'), 'bytes');
}

/** Encodes a number, in decimal or in hex with `0x`, as the ABI does with addresses, uint256 and bytes32. */
function wordOf(number: string): string {
  const word = BigInt(number).toString(16).padStart(WORD_DIGITS, '0');
  if (word.length > WORD_DIGITS) throw new RangeError(`${number} does not fit in 32 bytes`);
  return word;
}

function domainOf(requirements: PaymentRequirements): Hex {
  const known = domains.get(requirements);
  if (known) return known;
  const {network, asset, extra} = requirements;
  const domain = domainSeparator({
    domain: {
      name: String(extra['name']),
      version: String(extra['version']),
      chainId: Number(network.split(':')[1]),
      verifyingContract: asset as Address,
    },
  });
  domains.set(requirements, domain);
  return domain;
}
