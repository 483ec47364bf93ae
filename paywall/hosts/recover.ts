import {recover} from 'tiny-secp256k1';
import type {RecoveryIdType} from 'tiny-secp256k1';
import {keccak256} from 'viem';
import type {Recover} from '../payments/signature.ts';

/** libsecp256k1 in WebAssembly, about ten times as fast as viem's `recoverAddress`. A Worker cannot load it. */
export const recoverOnNode: Recover = (digest, signature) => {
  const parity = ((signature[64] ?? 0) % 27) as RecoveryIdType; // 27 and 28 are 0 and 1
  const key = recover(digest, signature.subarray(0, 64), parity);
  if (!key) throw new Error('no key can have made this signature');
  return `0x${keccak256(key.subarray(1)).slice(-40)}`;
};
