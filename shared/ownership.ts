import {recoverMessageAddress, type Hex} from 'viem';
import type {Payee} from './payees.ts';

/** JSON Schema of a proof that an origin belongs to who is paid there: the payee's signature (EIP-191) over the origin. */
export const ownershipProof = {
  type: 'string',
  pattern: '^0x[0-9a-fA-F]{130}$',
  description: 'a signature by EIP-191: 0x and 130 hexadecimal digits',
} as const;

/**
 * The payee who signed an origin, as x402scan finds it out: wallets that are contracts have no key to recover, and cannot prove. Undefined
 * where it is nobody of these, or the proof is none.
 */
export async function proverOf<P extends Pick<Payee, 'pay_to'>>(
  proof: string,
  origin: string,
  payees: readonly P[],
): Promise<P | undefined> {
  // Not every text of that form is a point of the curve.
  const signer = await recoverMessageAddress({message: origin, signature: proof as Hex}).catch(() => undefined);
  return payees.find(({pay_to}) => pay_to.toLowerCase() === signer?.toLowerCase());
}
