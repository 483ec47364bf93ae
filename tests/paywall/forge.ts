import {randomBytes} from 'node:crypto';
import type {Address, Hex} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import type {Challenge} from './hand-made.ts';

type Json = Record<string, unknown>;

/** What a forged payment differs in from a good one. */
export interface Forgery {
  /** Members of `accepted` that the payment claims. */
  readonly accepted?: Json;
  /** Members of the authorization, changed before it is signed. */
  readonly authorization?: Json;
  /** Members of the authorization, changed after it was signed. */
  readonly tampered?: Json;
  /** Of the signature's domain. */
  readonly chainId?: number;
  /** Members of the payload's root. */
  readonly root?: Json;
  /** Members of `payload`. */
  readonly payload?: Json;
}

export const types = {
  TransferWithAuthorization: [
    {name: 'from', type: 'address'},
    {name: 'to', type: 'address'},
    {name: 'value', type: 'uint256'},
    {name: 'validAfter', type: 'uint256'},
    {name: 'validBefore', type: 'uint256'},
    {name: 'nonce', type: 'bytes32'},
  ],
} as const;

/** A payment for a challenge, genuinely signed, and wrong in as much as the forgery says: x402 version 2, as an object. */
export async function forge(challenge: Challenge, buyer: PrivateKeyAccount, forgery: Forgery = {}): Promise<Json> {
  const [asked] = challenge.accepts;
  if (!asked) throw new Error('nothing is accepted');
  const authorization = {
    from: buyer.address,
    to: asked.payTo,
    value: asked.amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1000) + asked.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}`,
    ...forgery.authorization,
  };
  const signature = await buyer.signTypedData({
    domain: {
      name: asked.extra.name,
      version: asked.extra.version,
      chainId: forgery.chainId ?? Number(asked.network.split(':')[1]),
      verifyingContract: asked.asset,
    },
    types,
    primaryType: 'TransferWithAuthorization',
    message: messageOf(authorization),
  });
  return {
    x402Version: 2,
    resource: challenge.resource,
    accepted: {...asked, ...forgery.accepted},
    payload: {signature, authorization: {...authorization, ...forgery.tampered}, ...forgery.payload},
    ...forgery.root,
  };
}

export function messageOf(
  authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>,
) {
  const {from, to, value, validAfter, validBefore, nonce} = authorization;
  return {
    from: from as Address,
    to: to as Address,
    value: BigInt(value),
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce: nonce as Hex,
  };
}

/** As a header of the protocol. */
export function encoded(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
}
