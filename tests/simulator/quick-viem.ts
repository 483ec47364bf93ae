import {hexToBytes, type Hex} from 'viem';
import {recoverOnce} from './keys.ts';

export * from 'viem';

/** Replaces viem's function within x402: `quickRecovery` resolves its import to this file. */
export async function recoverAddress({hash, signature}: {hash: Hex; signature: Hex}): Promise<string> {
  return recoverOnce(hexToBytes(hash), hexToBytes(signature));
}
