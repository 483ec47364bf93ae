import {
  bytesToHex,
  concat,
  domainSeparator,
  encodeAbiParameters,
  hexToBytes,
  keccak256,
  slice,
  stringToHex,
} from 'viem';
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

/** Who signed a payment. */
export type Signer =
  /** The payer's key. */
  | 'key'
  /** The payer's contract, according to our own node. */
  | 'contract'
  /** Not the payer. */
  | 'forged'
  /** Possibly the payer's contract, but there is no node of that chain to ask. */
  | 'unproven'
  /** The node does not answer. */
  | 'unavailable';

const TYPE_HASH = keccak256(
  stringToHex(
    'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
  ),
);
const [bytes32, address, uint256] = [{type: 'bytes32'}, {type: 'address'}, {type: 'uint256'}] as const;
const FIELDS = [bytes32, address, address, uint256, uint256, uint256, bytes32] as const;
/** Half the order of secp256k1: above it a signature has a second encoding, which USDC refuses. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
/** 65 bytes in hex, with `0x`. */
const SIGNATURE_LENGTH = 132;
const domains = new WeakMap<PaymentRequirements, Hex>();

/** Whether the payer's key signed a payment, under `TransferWithAuthorization` (EIP-3009, EIP-712) of the required token. */
export function isPaymentByKey(payment: Payment, recover: Recover): Promise<boolean> {
  const {authorization, signature} = payment.payload;
  return isByKey(authorization.from, () => digestOf(payment), signature as Hex, recover);
}

/** Asks our own node whether the payer's contract signed a payment that no key signed. */
export async function contractSigner(payment: Payment, chain: Chain | undefined): Promise<Exclude<Signer, 'key'>> {
  const {authorization, signature} = payment.payload;
  // Without a node, only the length can show that no key was meant. Otherwise forged payments would flood the facilitator.
  if (!chain) return isKeyLength(signature) ? 'forged' : 'unproven';
  const signed = {address: authorization.from as Address, signature: signature as Hex};
  let hash: Hex;
  try {
    hash = bytesToHex(digestOf(payment));
  } catch {
    return 'forged'; // a number that is larger than uint256
  }
  const isSigned = await chain.isSigned(payment.requirements.network, {...signed, hash});
  return isSigned === undefined ? 'unavailable' : isSigned ? 'contract' : 'forged';
}

/** Whether the key of an address signed a digest. False if the digest cannot be computed. */
export async function isByKey(
  address: string,
  digest: () => Uint8Array,
  signature: Hex,
  recover: Recover,
): Promise<boolean> {
  if (!isKeyLength(signature) || !isWellFormed(signature)) return false;
  try {
    const signer = await recover(digest(), hexToBytes(signature));
    return signer.toLowerCase() === address.toLowerCase();
  } catch {
    return false; // r is on no point of the curve, or a number is larger than uint256
  }
}

/** Whether a signature has the 65 bytes of a key's signature. A contract wallet may use the same length. */
export function isKeyLength(signature: string): boolean {
  return signature.length === SIGNATURE_LENGTH;
}

/** Whether the token accepts r, s and v; the facilitator translates 0 and 1 to 27 and 28. */
function isWellFormed(signature: Hex): boolean {
  return BigInt(slice(signature, 32, 64)) <= HALF_ORDER && [0, 1, 27, 28].includes(Number(slice(signature, 64)));
}

/** The digest as viem's `hashTypedData` computes it, but with domain and type hashed only once. */
function digestOf({payload: {authorization}, requirements}: Payment): Uint8Array {
  const {from, to, value, validAfter, validBefore, nonce} = authorization;
  const struct = encodeAbiParameters(FIELDS, [
    TYPE_HASH,
    // In lower case, because viem refuses an address whose capitals are not its checksum.
    from.toLowerCase() as Address,
    to.toLowerCase() as Address,
    BigInt(value),
    BigInt(validAfter),
    BigInt(validBefore),
    nonce as Hex,
  ]);
  return keccak256(concat(['0x1901', domainOf(requirements), keccak256(struct)]), 'bytes');
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
