import {recoverMessageAddress, type Hex} from 'viem';
import type {Payee} from './payees.ts';

/** JSON Schema of a proof that an origin belongs to a payee: the payee's signature (EIP-191) over the origin. */
export const ownershipProof = {
  type: 'string',
  pattern: '^0x[0-9a-fA-F]{130}$',
  description: 'a signature by EIP-191: 0x and 130 hexadecimal digits',
} as const;

/**
 * Returns the payee who signed an origin, determined as x402scan does. Undefined if the signature is invalid or of another account. A
 * contract wallet has no key to recover, so it cannot sign a proof.
 */
export async function proverOf<P extends Pick<Payee, 'pay_to'>>(
  proof: string,
  origin: string,
  payees: readonly P[],
): Promise<P | undefined> {
  // Recovery throws if the text is not a point of the curve.
  const signer = await recoverMessageAddress({message: origin, signature: proof as Hex}).catch(() => undefined);
  return payees.find(({pay_to}) => pay_to.toLowerCase() === signer?.toLowerCase());
}
