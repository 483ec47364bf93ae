import {randomBytes} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {getAddress, type Address, type Hex} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';

/** The decoded header PAYMENT-REQUIRED of a 402: x402 version 2, "PaymentRequired". */
export interface Challenge {
  readonly x402Version: number;
  readonly error?: string;
  readonly resource: {readonly url: string};
  readonly accepts: readonly {
    readonly scheme: string;
    readonly network: string;
    readonly amount: string;
    readonly asset: Address;
    readonly payTo: Address;
    readonly maxTimeoutSeconds: number;
    readonly extra: {readonly name: string; readonly version: string};
  }[];
}

type Answer = Pick<Response, 'status' | 'headers'>;

/** Decodes a header of the protocol, which is JSON in base64. Throws if the response does not have it. */
export function decoded(response: Answer, name: 'PAYMENT-REQUIRED'): Challenge;
export function decoded(response: Answer, name: 'PAYMENT-RESPONSE'): {success: boolean; transaction: Hex};
export function decoded(response: Answer, name: string): unknown {
  const header = response.headers.get(name);
  if (header === null) throw new Error(`${response.status} without ${name}`);
  return JSON.parse(Buffer.from(header, 'base64').toString()) as unknown;
}

/** Waits until a gate no longer takes a payment for one that was sent before the last delivery: a few milliseconds. */
export function afterDelivery(): Promise<void> {
  return sleep(10);
}

/**
 * Signs a payment from the specification only (x402 version 2 over HTTP, scheme `exact` on EVM, EIP-3009, EIP-712),
 * without a package of the protocol, and returns the header PAYMENT-SIGNATURE. Waits first, so that it is not taken for a payment of a
 * document that its buyer has just received.
 */
export async function paymentFor({resource, accepts}: Challenge, buyer: PrivateKeyAccount): Promise<string> {
  const [accepted] = accepts;
  if (!accepted) throw new Error('nothing is accepted');
  await afterDelivery();
  const validBefore = Math.floor(Date.now() / 1000) + accepted.maxTimeoutSeconds;
  const message = {
    from: buyer.address,
    to: getAddress(accepted.payTo),
    value: BigInt(accepted.amount),
    validAfter: 0n,
    validBefore: BigInt(validBefore),
    nonce: `0x${randomBytes(32).toString('hex')}` as const,
  };
  const signature = await buyer.signTypedData({
    domain: {
      name: accepted.extra.name,
      version: accepted.extra.version,
      chainId: Number(accepted.network.split(':')[1]),
      verifyingContract: accepted.asset,
    },
    types: {
      TransferWithAuthorization: [
        {name: 'from', type: 'address'},
        {name: 'to', type: 'address'},
        {name: 'value', type: 'uint256'},
        {name: 'validAfter', type: 'uint256'},
        {name: 'validBefore', type: 'uint256'},
        {name: 'nonce', type: 'bytes32'},
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message,
  });
  const authorization = {...message, value: accepted.amount, validAfter: '0', validBefore: String(validBefore)};
  return Buffer.from(
    JSON.stringify({x402Version: 2, resource, accepted, payload: {signature, authorization}}),
  ).toString('base64');
}
