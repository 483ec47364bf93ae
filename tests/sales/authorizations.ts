import {randomBytes} from 'node:crypto';
import {secp256k1} from '@bitauth/libauth';
import {bytesToHex, encodeFunctionData, hashTypedData, parseAbi, toBytes, type Address, type Hex} from 'viem';
import {baseSepolia} from 'viem/chains';
import {generatePrivateKey, privateKeyToAddress} from 'viem/accounts';
import type {NewSale} from '../../paywall/ledger/sale.ts';
import {type LocalChain, CONTRACTS, usdc, receiptOf} from '../../scripts/local-chain/chain.ts';
import {newSale} from '../ledger/new-sale.ts';
import {payTo} from '../paywall/fixture-site.ts';
import {types} from '../paywall/forge.ts';

const abi = parseAbi([
  'struct Call { address target; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function tryAggregate(bool requireSuccess, Call[] calls) payable returns (Result[])',
  'function mint(address to, uint256 value)',
  'function use(address authorizer, bytes32 nonce)',
  'function transfer(address from, address to, uint256 value)',
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
]);
const multicall = CONTRACTS[1]?.address ?? '0x';
/** The number of payments in one block. */
const AT_ONCE = 200;
const FOREVER = 2 ** 40;

/** A key with its address. */
export interface Payer {
  readonly key: Hex;
  readonly address: Address;
}

/** An authorization that was used on the chain, with its sale. */
export interface Paid {
  readonly sale: NewSale;
  readonly transaction: Hex;
}

/** Creates payers with much money. */
export async function payers(chain: LocalChain, count: number): Promise<Payer[]> {
  const made = Array.from({length: count}, () => {
    const key = generatePrivateKey();
    return {key, address: privateKeyToAddress(key)};
  });
  await inOne(
    chain,
    made.map(({address}) => mintOf(address, 10n ** 12n)),
  );
  return made;
}

/** Returns the call of the token that mints money. */
export function mintOf(to: Address, amount: bigint): Hex {
  return encodeFunctionData({abi, functionName: 'mint', args: [to, amount]});
}

/** Sends one payment of each payer, some hundred in a transaction. */
export async function pay(
  chain: LocalChain,
  by: readonly Payer[],
  to: Address = payTo,
  amount = '20000',
): Promise<Paid[]> {
  const paid: Paid[] = [];
  for (let at = 0; at < by.length; at += AT_ONCE) {
    const signed = by.slice(at, at + AT_ONCE).map(payer => authorization(payer, to, amount));
    const transaction = await inOne(
      chain,
      signed.map(({call}) => call),
    );
    paid.push(...signed.map(({sale}) => ({sale, transaction})));
  }
  return paid;
}

/** Returns a signed call of the token, and the sale that the gate would record for it. */
export function authorization({key, address}: Payer, to: Address, amount: string): {call: Hex; sale: NewSale} {
  const nonce = bytesToHex(randomBytes(32));
  const message = {from: address, to, value: BigInt(amount), validAfter: 0n, validBefore: BigInt(FOREVER), nonce};
  const domain = {name: 'USDC', version: '2', chainId: baseSepolia.id, verifyingContract: usdc};
  const digest = hashTypedData({domain, types, primaryType: 'TransferWithAuthorization', message});
  const made = secp256k1.signMessageHashRecoverableCompact(toBytes(key), toBytes(digest));
  if (typeof made === 'string') throw new Error(made);
  const signature = bytesToHex(Buffer.from([...made.signature, 27 + made.recoveryId]));
  const args = [address, to, message.value, 0n, message.validBefore, nonce, signature] as const;
  const call = encodeFunctionData({abi, functionName: 'transferWithAuthorization', args});
  return {call, sale: newSale({payer: address.toLowerCase(), payTo: to, amount, nonce, validBefore: FOREVER})};
}

/** Returns a call of a contract that emits arbitrary events. This event says that an authorization was used. */
export function usedOf(authorizer: Address, nonce: Hex): Hex {
  return encodeFunctionData({abi, functionName: 'use', args: [authorizer, nonce]});
}

/** Returns the same for an event that says that money was transferred. */
export function transferOf(from: Address, to: Address, amount: bigint): Hex {
  return encodeFunctionData({abi, functionName: 'transfer', args: [from, to, amount]});
}

/** Sends these calls in one transaction. They are to the token unless they name another contract. */
export async function inOne(
  {client}: LocalChain,
  calls: readonly (Hex | {target: Address; callData: Hex})[],
): Promise<Hex> {
  const args = [true, calls.map(call => (typeof call === 'string' ? {target: usdc, callData: call} : call))] as const;
  const hash = await client.writeContract({
    address: multicall,
    abi,
    functionName: 'tryAggregate',
    args,
    gas: 29_000_000n,
  });
  const {status} = await receiptOf(client, hash);
  if (status !== 'success') throw new Error('a payment was refused');
  return hash;
}
