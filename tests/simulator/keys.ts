import {domainSeparator, getAddress, hexToBytes, numberToHex, pad, serializeTransaction, stringToHex} from 'viem';
import type {Address, Hex, TransactionSerializableEIP1559} from 'viem';
import {recoverOnNode} from '../../paywall/hosts/recover.ts';
import type {Recover} from '../../paywall/payments/chain/signature.ts';
import type {PrivateKeyAccount} from 'viem/accounts';
import {types, type messageOf} from '../paywall/forge.ts';
import {hashes, keccak256} from './quick-keccak.ts';
import type {Random} from './random.ts';

export const CHAIN_ID = 84532;
export const NETWORK = `eip155:${CHAIN_ID}`;
/** USDC on Base Sepolia. */
export const TOKEN: Address = '0x036cbd53842c5426634e7929541ec2318f3dcf7e';

export type Authorization = Readonly<ReturnType<typeof messageOf>>;

/** An account and its key. The address of the key is another one if the account is a contract wallet. */
export interface Account {
  readonly address: Address;
  readonly keyAddress: Address;
  readonly sign: (hash: Hex) => Hex;
}

/** The signers of signatures that were made or recovered in this simulation. */
const signers = new Map<string, string>();

export function forgetSignatures(): void {
  signers.clear();
  hashes.clear();
}

/** A key, or its contract wallet, with fast signatures that only this module recognises. Real ones take as long as a purchase. */
export function quickKey(random: Random, wallets = 0): Account {
  const keyAddress = random.hex(20);
  return {
    ...{keyAddress, address: getAddress(random.chance(wallets) ? random.hex(20) : keyAddress)},
    sign(hash) {
      // The token refuses an s in the upper half.
      const signature = `${hash.slice(2)}00${keyAddress.slice(2).padStart(62, '0')}1b`;
      signers.set(hash.slice(2) + signature, keyAddress);
      return `0x${signature}`;
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

const TYPE = Object.values(types.TransferWithAuthorization).map(({type, name}) => `${type} ${name}`);
const TYPE_HASH = keccak256(stringToHex(`TransferWithAuthorization(${TYPE.join()})`));
const DOMAIN = domainSeparator({domain: {name: 'USDC', version: '2', chainId: CHAIN_ID, verifyingContract: TOKEN}});

/** Returns the EIP-712 digest that a payer signs, without viem's `hashTypedData`, which would take a tenth of all time. */
export function digestOf({from, to, value, validAfter, validBefore, nonce}: Authorization): Hex {
  const numbers = [value, validAfter, validBefore].map(number => numberToHex(number));
  const struct = [TYPE_HASH, from, to, ...numbers, nonce].map(word => word.slice(2).padStart(64, '0')).join('');
  return keccak256(`0x1901${DOMAIN.slice(2)}${keccak256(`0x${struct.toLowerCase()}`).slice(2)}`);
}

export function cached<Key, Value>(cache: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = cache.get(key) ?? make();
  cache.set(key, value);
  return value;
}
