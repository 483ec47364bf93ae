import {secp256k1} from '@bitauth/libauth';
import {
  domainSeparator,
  hexToBytes,
  keccak256,
  getAddress,
  pad,
  serializeTransaction,
  stringToHex,
  type Address,
  type Hex,
  type TransactionSerializableEIP1559,
} from 'viem';
import {recoverOnNode} from '../../paywall/hosts/recover.ts';
import type {Recover} from '../../paywall/payments/chain/signature.ts';
import type {PrivateKeyAccount} from 'viem/accounts';
import type {Random} from './random.ts';

/** EIP-3009's message. */
export interface Authorization {
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly nonce: Hex;
}

/** A key of an account. */
export interface Key {
  readonly address: Address;
  sign(hash: Hex): Hex;
}

/** The signers of signatures that were made or recovered in this simulation. */
const signers = new Map<string, string>();

/** Forgets all signatures. */
export function forgetSignatures(): void {
  signers.clear();
  digests.clear();
}

/**
 * A key with fast signatures that only this module recognises. Making and recovering a real signature takes as long as
 * a purchase.
 */
export function quickKey(random: Random): Key {
  const address = random.hex(20);
  return {
    address,
    sign(hash) {
      // The token refuses an s in the upper half.
      const signature = `${hash.slice(2)}00${address.slice(2).padStart(62, '0')}1b`;
      signers.set(hash.slice(2) + signature, address);
      return `0x${signature}`;
    },
  };
}

/** A real key pair. libsecp256k1 signs ten times as fast as viem. */
export function newKey(random: Random): Key {
  const secret = random.bytes(32);
  const publicKey = secp256k1.derivePublicKeyUncompressed(secret);
  if (typeof publicKey === 'string') throw new Error(publicKey);
  return {
    address: `0x${keccak256(publicKey.subarray(1)).slice(-40)}`,
    sign(hash) {
      const signed = secp256k1.signMessageHashRecoverableCompact(secret, hexToBytes(hash));
      if (typeof signed === 'string') throw new Error(signed);
      return `0x${Buffer.from(signed.signature).toString('hex')}${(27 + signed.recoveryId).toString(16)}`;
    },
  };
}

/** The account of the settler. The simulated chain does not check who signed its transactions. */
export function settlerAccount(random: Random): PrivateKeyAccount {
  const signature = {r: pad('0x1'), s: pad('0x1'), yParity: 0};
  const signTransaction = (transaction: TransactionSerializableEIP1559) =>
    Promise.resolve(serializeTransaction(transaction, signature));
  return {address: getAddress(random.hex(20)), signTransaction} as unknown as PrivateKeyAccount;
}

/** The recovery of a gate on Node, done once for a signature. */
export const recoverOnce: Recover = (digest, signature) => {
  const signed = Buffer.concat([digest, signature]).toString('hex');
  return cached(signers, signed, () => recoverOnNode(digest, signature) as string);
};

/** Returns the address of the key that made a signature, or undefined if the signature is invalid. */
export function signerOf(hash: Hex, signature: Hex): string | undefined {
  try {
    return recoverOnce(hexToBytes(hash), hexToBytes(signature)) as string;
  } catch {
    return undefined;
  }
}

const TYPE_HASH = keccak256(
  stringToHex(
    'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
  ),
);
const digests = new Map<string, Hex>();
const domains = new Map<string, Hex>();

/** Returns the EIP-712 digest that a payer signs. */
export function digestOf(message: Authorization, chainId: number, verifyingContract: Address): Hex {
  const {from, to, value, validAfter, validBefore, nonce} = message;
  const domain = () => domainSeparator({domain: {name: 'USDC', version: '2', chainId, verifyingContract}});
  return cached(
    digests,
    [from, to, value, validAfter, validBefore, nonce, chainId, verifyingContract].join(' '),
    () => {
      const numbers = [value, validAfter, validBefore].map(number => `0x${number.toString(16)}`);
      const struct = keccakOf([TYPE_HASH, from, to, ...numbers, nonce]);
      return keccakOf(['0x1901', cached(domains, `${chainId} ${verifyingContract}`, domain), struct], 0);
    },
  );
}

/** The hash of hex numbers, each in 32 bytes. */
function keccakOf(numbers: readonly string[], digits = 64): Hex {
  return keccak256(Buffer.from(numbers.map(number => number.slice(2).padStart(digits, '0')).join(''), 'hex'));
}

function cached<Value>(cache: Map<string, Value>, key: string, make: () => Value): Value {
  const value = cache.get(key) ?? make();
  cache.set(key, value);
  return value;
}
