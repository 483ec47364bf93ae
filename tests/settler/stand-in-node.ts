import {keccak256, TransactionReceiptNotFoundError, type Hex, type TransactionReceipt} from 'viem';
import type {Node} from '../../shared/evm/node.ts';

/** The responses of a stand-in for a node. Tests change them. */
interface Answers {
  chainId: number;
  /** The base fees of the last block and of the next one. */
  bases: readonly bigint[];
  tip: bigint;
  balance: bigint;
  /** The gas of every call. */
  gas: bigint;
  /** The nonces that are used in blocks, and with the pool. */
  latest: number;
  pending: number;
  /** The message with which it refuses transactions. */
  refusal: string | undefined;
  /** True if requests for nonces and fees fail. */
  isDown: boolean;
}

export interface StandInNode extends Node, Answers {
  /** The requests, in order. */
  readonly asked: string[];
  /** The transactions that it accepted or refused. */
  readonly sent: Hex[];
  /** The transactions that are mined. */
  readonly mined: Set<Hex>;
  /** The transactions with receipts that cannot be read. */
  readonly broken: Set<Hex>;
}

/** Returns a node that answers the settler's requests without a chain. */
export function standInNode(answers: Partial<Answers> = {}): StandInNode {
  const asked: string[] = [];
  const node = {
    ...{chainId: 84532, bases: [10n, 10n], tip: 2n, balance: 10n ** 18n, gas: 80_000n, latest: 7, pending: 7},
    ...{refusal: undefined, isDown: false, asked, sent: [] as Hex[], mined: new Set<Hex>()},
    ...{broken: new Set<Hex>(), ...answers},
    getChainId: () => answer('getChainId', node.chainId),
    getFeeHistory: ({blockCount, rewardPercentiles}: {blockCount: number; rewardPercentiles: number[]}) =>
      answer(`getFeeHistory ${blockCount} [${rewardPercentiles.join()}]`, {baseFeePerGas: node.bases}),
    estimateMaxPriorityFeePerGas: () => answer('estimateMaxPriorityFeePerGas', node.tip),
    getBalance: ({address}: {address: Hex}) => answer(`getBalance ${address}`, node.balance),
    estimateGas: (call: {account: Hex; to: Hex; data: Hex; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint}) =>
      answer(`estimateGas ${Object.values(call).join(' ')}`, node.gas),
    getTransactionCount: ({address, blockTag}: {address: Hex; blockTag: 'latest' | 'pending'}) =>
      answer(`getTransactionCount ${address} ${blockTag}`, node[blockTag]),
    sendRawTransaction({serializedTransaction}: {serializedTransaction: Hex}) {
      node.sent.push(serializedTransaction);
      return node.refusal === undefined
        ? answer('sendRawTransaction', keccak256(serializedTransaction))
        : Promise.reject(new Error(node.refusal));
    },
    getTransactionReceipt({hash}: {hash: Hex}) {
      const isIn = (transactions: Set<Hex>) => [...transactions].some(each => keccak256(each) === hash);
      if (node.isDown || isIn(node.broken)) return Promise.reject(new Error('no node'));
      return isIn(node.mined)
        ? answer('getTransactionReceipt', {transactionHash: hash} as TransactionReceipt)
        : Promise.reject(new TransactionReceiptNotFoundError({hash}));
    },
  };
  function answer<T>(question: string, value: T): Promise<T> {
    asked.push(question);
    return node.isDown ? Promise.reject(new Error('no node')) : Promise.resolve(value);
  }
  return node as unknown as StandInNode; // only the settler's requests are implemented
}
