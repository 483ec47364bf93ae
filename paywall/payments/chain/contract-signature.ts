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

/** A digest of 32 bytes, an account, and a signature that the account may have made. */
export type SignedDigest = Readonly<Record<'address' | 'signature' | 'hash', Hex>>;

/**
 * Returns true if the contract at an address accepts a signature (ERC-1271), or would accept it after its deployment (ERC-6492). Rejects if
 * the node does not answer. In that case, viem's `verifyHash` returns false, as for a forged signature.
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

/** True if a call fails on the chain. False if the node does not answer. */
export function isRevert(error: unknown): boolean {
  const isOne = (cause: unknown) =>
    cause instanceof ContractFunctionRevertedError ||
    cause instanceof ContractFunctionZeroDataError ||
    cause instanceof ExecutionRevertedError;
  return error instanceof BaseError && error.walk(isOne) !== null;
}
