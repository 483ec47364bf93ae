import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  ExecutionRevertedError,
  type Hex,
} from 'viem';
import type {Node} from '../../../shared/evm/node.ts';

/** A digest of 32 bytes, and the signature that an account is supposed to have made of it. */
export type SignedDigest = Readonly<Record<'address' | 'signature' | 'hash', Hex>>;

/**
 * Asks the contract at an address whether it accepts a signature (ERC-1271), or, if it is not deployed yet, would accept it (ERC-6492).
 * Rejects if the node does not answer. viem's `verifyHash` returns false then, which would be taken for a forged signature.
 */
export async function isSignedByContract(
  node: Pick<Node, 'call'>,
  {address, hash, signature}: SignedDigest,
): Promise<boolean> {
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [address, hash, signature],
  });
  try {
    const {data: answer} = await node.call({data});
    return answer !== undefined && BigInt(answer) === 1n;
  } catch (error) {
    if (isRevert(error)) return false;
    throw error;
  }
}

/** Whether an error means that a call fails on the chain, as opposed to a node that does not answer. */
export function isRevert(error: unknown): boolean {
  const isOne = (cause: unknown) =>
    cause instanceof ContractFunctionRevertedError ||
    cause instanceof ContractFunctionZeroDataError ||
    cause instanceof ExecutionRevertedError;
  return error instanceof BaseError && error.walk(isOne) !== null;
}
