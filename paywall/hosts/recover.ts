import {secp256k1} from '@bitauth/libauth';
import type {RecoveryId} from '@bitauth/libauth';
import {keccak256} from 'viem';
import type {Recover} from '../payments/chain/signature.ts';

/** libsecp256k1 in WebAssembly, about ten times as fast as viem's `recoverAddress`. A Worker cannot load it. */
export const recoverOnNode: Recover = (digest, signature) => {
  const parity = ((signature[64] ?? 0) % 27) as RecoveryId; // 27 and 28 are 0 and 1
  const key = secp256k1.recoverPublicKeyUncompressed(signature.subarray(0, 64), parity, digest);
  if (typeof key === 'string') throw new Error(key);
  return `0x${keccak256(key.subarray(1)).slice(-40)}`;
};
