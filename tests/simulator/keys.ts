import {secp256k1} from '@bitauth/libauth';
import {authorizationTypes} from '@x402/evm';
import {hexToBytes, keccak256, hashTypedData, type Address, type Hex} from 'viem';
import {recoverOnNode} from '../../paywall/hosts/recover.ts';
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
  return {
    address: `0x${keccak256(publicKey.subarray(1)).slice(-40)}`,
    sign(hash) {
      const signed = secp256k1.signMessageHashRecoverableCompact(secret, hexToBytes(hash));
      if (typeof signed === 'string') throw new Error(signed);
      return `0x${Buffer.from(signed.signature).toString('hex')}${(27 + signed.recoveryId).toString(16)}`;
    },
  };
}

/** The address whose key made a signature, or undefined if no key did. */
export function signerOf(hash: Hex, signature: Hex): string | undefined {
  try {
    return recoverOnNode(hexToBytes(hash), hexToBytes(signature)) as string;
  } catch {
    return undefined;
  }
}

const digests = new WeakMap<Authorization, Hex>();

/** The digest that EIP-712 has a payer sign. */
export function digestOf(message: Authorization, chainId: number, verifyingContract: Address): Hex {
  const known = digests.get(message);
  if (known) return known;
  const domain = {name: 'USDC', version: '2', chainId, verifyingContract};
  const digest = hashTypedData({domain, types: authorizationTypes, primaryType: 'TransferWithAuthorization', message});
  digests.set(message, digest);
  return digest;
}
