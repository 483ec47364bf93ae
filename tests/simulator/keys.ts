import {secp256k1} from '@bitauth/libauth';
import {
  concat,
  domainSeparator,
  hexToBytes,
  keccak256,
  numberToHex,
  pad,
  stringToHex,
  type Address,
  type Hex,
} from 'viem';
import {recoverOnNode} from '../../paywall/hosts/recover.ts';
import type {Recover} from '../../paywall/payments/chain/signature.ts';
import type {Random} from './random.ts';

/** EIP-3009's message. */
export interface Authorization {
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly nonce: Hex;
}

/** A key pair of an account. libsecp256k1 signs ten times as fast as viem. */
export interface Key {
  readonly address: Address;
  sign(hash: Hex): Hex;
}

export function newKey(random: Random): Key {
  const secret = random.bytes(32);
  const publicKey = secp256k1.derivePublicKeyUncompressed(secret);
  if (typeof publicKey === 'string') throw new Error(publicKey);
  const address: Address = `0x${keccak256(publicKey.subarray(1)).slice(-40)}`;
  return {
    address,
    sign(hash) {
      const signed = secp256k1.signMessageHashRecoverableCompact(secret, hexToBytes(hash));
      if (typeof signed === 'string') throw new Error(signed);
      const signature = `${Buffer.from(signed.signature).toString('hex')}${(27 + signed.recoveryId).toString(16)}`;
      noteSigner(hash.slice(2) + signature, address);
      return `0x${signature}`;
    },
  };
}

/** Results of recoveries, also of those that signing makes needless: each takes a tenth of a millisecond. */
const signers = new Map<string, string>();
const MOST_SIGNERS = 10_000;

function noteSigner(signed: string, address: string): void {
  if (signers.size >= MOST_SIGNERS) signers.clear();
  signers.set(signed, address);
}

/** The real recovery of a gate on Node, done once for a signature. */
export const recoverOnce: Recover = async (digest, signature) => {
  const signed = Buffer.concat([digest, signature]).toString('hex');
  const known = signers.get(signed);
  if (known !== undefined) return known;
  const address = await recoverOnNode(digest, signature);
  noteSigner(signed, address);
  return address;
};

/** The address whose key made a signature, or undefined if no key did. */
export function signerOf(hash: Hex, signature: Hex): string | undefined {
  const known = signers.get(hash.slice(2) + signature.slice(2));
  if (known !== undefined) return known;
  try {
    return recoverOnNode(hexToBytes(hash), hexToBytes(signature)) as string;
  } catch {
    return undefined;
  }
}

const TYPE_HASH = keccak256(
  stringToHex(
    'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
  ),
);
const digests = new WeakMap<Authorization, Hex>();
const domains = new Map<string, Hex>();

/** The digest that EIP-712 has a payer sign, with the domain hashed only once. */
export function digestOf(message: Authorization, chainId: number, verifyingContract: Address): Hex {
  const known = digests.get(message);
  if (known) return known;
  const {from, to, value, validAfter, validBefore, nonce} = message;
  const words = [from, to, numberToHex(value), numberToHex(validAfter), numberToHex(validBefore), nonce];
  const struct = keccak256(concat([TYPE_HASH, ...words.map(word => pad(word))]));
  const digest = keccak256(concat(['0x1901', domainOf(chainId, verifyingContract), struct]));
  digests.set(message, digest);
  return digest;
}

function domainOf(chainId: number, verifyingContract: Address): Hex {
  const name = `${chainId} ${verifyingContract}`;
  const hash = domains.get(name) ?? domainSeparator({domain: {name: 'USDC', version: '2', chainId, verifyingContract}});
  domains.set(name, hash);
  return hash;
}
