import {encodeEventTopics, erc20Abi} from 'viem';
import type {SaleRecord} from '../../../paywall/ledger/sale-record.ts';
import {topicOf, USED} from '../../../shared/evm/authorization-uses.ts';
import type {ChainEvent, ChainNode} from './node.ts';

/** A transfer with an authorization (EIP-3009). Addresses and hashes are in lower case. */
export interface Payment {
  readonly asset: string;
  readonly payer: string;
  readonly payee: string;
  readonly nonce: string;
  /** Atomic units of the asset. */
  readonly amount: string;
  readonly transaction: string;
  readonly block: number;
  /** The log index of the transfer in its block. */
  readonly event: number;
}

export type Income = Awaited<ReturnType<typeof incomeIn>>;

/** Tokens and payees, as addresses in lower case. */
export interface Accounts {
  readonly assets: readonly string[];
  readonly payees: readonly string[];
}

export const [TRANSFER] = encodeEventTopics({abi: erc20Abi, eventName: 'Transfer'});
/** Nodes accept some hundred topics per position. */
const PAYERS_AT_ONCE = 500;

/**
 * Returns the payments to the payees in blocks `first` to `last`, and the number of their other transfers: those without an authorization,
 * or of amount 0. Rejects with `NodeError`.
 */
export async function incomeIn(node: ChainNode, {assets, payees}: Accounts, first: number, last: number) {
  const topics = [[TRANSFER], null, payees.map(topicOf)];
  const transfers = (await node.events({contracts: assets, topics, first, last})).filter(isTransfer);
  const nonces = await noncesBefore(transfers, node, assets);
  const payments = transfers.flatMap(transfer => {
    const nonce = nonces.get(placeOf(transfer, transfer.logIndex - 1));
    // A transfer of 0 costs only gas, so it does not count as a payment.
    return nonce === undefined || amountOf(transfer) === 0n ? [] : [paymentOf(transfer, nonce)];
  });
  return {payments, transfers: transfers.length - payments.length};
}

/** True for a transfer of ERC-20. A transfer of ERC-721 has the same first topic, but more topics. */
export function isTransfer({topics, data}: ChainEvent): boolean {
  return topics.length === 3 && topics[0] === TRANSFER && /^0x[0-9a-fA-F]{64}$/.test(data);
}

export function amountOf({data}: ChainEvent): bigint {
  return BigInt(data);
}

/** True for a transfer of the asset of a sale from its payee to its payer. */
export function isRefund(event: ChainEvent, sale: SaleRecord): boolean {
  const [payee, payer] = partiesOf(sale);
  return (
    isTransfer(event) &&
    event.address === sale.asset.toLowerCase() &&
    event.topics[1] === payee &&
    event.topics[2] === payer
  );
}

/** Returns payee and payer of a sale as topics of an event. */
export function partiesOf({payTo, payer}: SaleRecord): string[] {
  return [payTo, payer].map(topicOf);
}

/** Returns the nonces of authorizations that the payers used in these blocks, by the positions of their events. */
async function noncesBefore(
  transfers: readonly ChainEvent[],
  node: ChainNode,
  contracts: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const nonces = new Map<string, string>();
  const payers = [...new Set(transfers.map(({topics}) => topics[1] ?? ''))];
  const blocks = transfers.map(({blockNumber}) => blockNumber).sort((one, other) => one - other);
  const [first = 0, last = 0] = [blocks[0], blocks.at(-1)];
  for (let at = 0; at < payers.length; at += PAYERS_AT_ONCE) {
    const topics = [[USED], payers.slice(at, at + PAYERS_AT_ONCE)];
    for (const used of await node.events({contracts, topics, first, last})) {
      const [, , nonce, ...more] = used.topics;
      if (nonce !== undefined && more.length === 0) nonces.set(placeOf(used, used.logIndex), nonce);
    }
  }
  return nonces;
}

/** Returns a key for the position of an event of one token and payer. */
function placeOf({transactionHash, address, topics}: ChainEvent, event: number): string {
  return [transactionHash, address, topics[1], event].join(' ');
}

function paymentOf(transfer: ChainEvent, nonce: string): Payment {
  const [, payer = '', payee = ''] = transfer.topics.map(topic => `0x${topic.slice(-40)}`);
  return {
    asset: transfer.address,
    payer,
    payee,
    nonce,
    amount: String(amountOf(transfer)),
    transaction: transfer.transactionHash,
    block: transfer.blockNumber,
    event: transfer.logIndex,
  };
}
