import {decodeFunctionData, encodeFunctionData, parseAbi, parseSignature, serializeSignature, type Hex} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import {baseSepolia} from 'viem/chains';
import {usdc} from '../../scripts/local-chain/chain.ts';
import {encoded, messageOf} from './forge.ts';
import type {Challenge} from './hand-made.ts';

const abi = parseAbi([
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'function cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)',
]);

export interface Authorization {
  readonly from: Hex;
  readonly to: Hex;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: Hex;
}

interface Signed {
  readonly authorization: Authorization;
  readonly signature: Hex;
}

/** The signed part of a payment. */
export function signed(payment: Record<string, unknown>): Signed {
  return payment['payload'] as Signed;
}

/** Returns the call of the token that settles a payment. Any account can make it. */
export function transferOf(payment: Record<string, unknown>): Hex {
  const {authorization, signature} = signed(payment);
  const {from, to, value, validAfter, validBefore, nonce} = messageOf(authorization);
  return encodeFunctionData({
    abi,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, validAfter, validBefore, nonce, signature],
  });
}

/** Returns the payment that a call of the token settles, as a header without the members about the document. */
export function copiedFrom(calldata: Hex, {accepts}: Challenge): string {
  const {functionName, args} = decodeFunctionData({abi, data: calldata});
  if (functionName !== 'transferWithAuthorization') throw new Error(`it calls ${functionName}`);
  const [from, to, value, validAfter, validBefore, nonce] = args;
  const authorization = {
    from,
    to,
    value: String(value),
    validAfter: String(validAfter),
    validBefore: String(validBefore),
    nonce,
  };
  const signature = args.length === 7 ? args[6] : serializeSignature({v: BigInt(args[6]), r: args[7], s: args[8]});
  return encoded({x402Version: 2, accepted: accepts[0], payload: {signature, authorization}});
}

/** Returns the call of the token that cancels an authorization. Only its payer can sign it. */
export async function cancellationOf(nonce: Hex, buyer: PrivateKeyAccount): Promise<Hex> {
  const signature = await buyer.signTypedData({
    domain: {name: 'USDC', version: '2', chainId: baseSepolia.id, verifyingContract: usdc},
    types: {
      CancelAuthorization: [
        {name: 'authorizer', type: 'address'},
        {name: 'nonce', type: 'bytes32'},
      ],
    },
    primaryType: 'CancelAuthorization',
    message: {authorizer: buyer.address, nonce},
  });
  const {r, s, yParity} = parseSignature(signature);
  const args = [buyer.address, nonce, 27 + yParity, r, s] as const;
  return encodeFunctionData({abi, functionName: 'cancelAuthorization', args});
}
