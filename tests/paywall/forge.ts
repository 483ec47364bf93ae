import {randomBytes} from 'node:crypto';
import {secp256k1} from '@bitauth/libauth';
import type {Address, Hex} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import type {Challenge} from './hand-made.ts';

type Json = Record<string, unknown>;

/** The differences of a forged payment from a valid one. */
export interface Forgery {
  /** Members of `accepted` that the payment claims. */
  readonly accepted?: Json;
  /** Members of the authorization, changed before it is signed. */
  readonly authorization?: Json;
  /** Members of the authorization, changed after it was signed. */
  readonly tampered?: Json;
  /** Members of the signature's domain. */
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

/**
 * Returns a payment for a challenge with the differences of the forgery, as an object of x402 version 2. The signature
 * is genuine.
 */
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

/** The same payment as a header of the protocol. */
export function encoded(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
}

/**
 * Makes headers of payments for a challenge that are valid except for their signatures. Each names another payer and
 * nonce. From its signature an unrelated key can be recovered.
 *
 * @param more bytes at the end of each signature, which make it one of a contract wallet
 */
export function forger({resource, accepts}: Challenge, more = 0): () => string {
  const [accepted] = accepts;
  if (!accepted) throw new Error('nothing is accepted');
  // The first half of a signature must be a point of the curve. Half of all random numbers are.
  const points = Array.from({length: 256}, () =>
    Buffer.from(secp256k1.derivePublicKeyCompressed(randomBytes(32)) as Uint8Array).subarray(1),
  );
  let made = 0;
  return function forged() {
    const [r = randomBytes(32), s] = [points[made++ % points.length], randomBytes(32)];
    s[0] = (s[0] ?? 0) & 0x7f; // in the lower half
    const authorization = {
      from: `0x${randomBytes(20).toString('hex')}`,
      to: accepted.payTo,
      value: accepted.amount,
      validAfter: '0',
      validBefore: String(Math.floor(Date.now() / 1000) + accepted.maxTimeoutSeconds),
      nonce: `0x${randomBytes(32).toString('hex')}`,
    };
    const signature = `0x${r.toString('hex')}${s.toString('hex')}${made % 2 ? '1b' : '1c'}${'00'.repeat(more)}`;
    return encoded({x402Version: 2, resource, accepted, payload: {signature, authorization}});
  };
}
