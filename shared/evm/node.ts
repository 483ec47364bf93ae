import {createClient, custom, type Client, type PublicActions} from 'viem';
import {
  call,
  estimateGas,
  estimateMaxPriorityFeePerGas,
  getBalance,
  getBlock,
  getBlockNumber,
  getChainId,
  getCode,
  getFeeHistory,
  getLogs,
  getTransaction,
  getTransactionCount,
  getTransactionReceipt,
  multicall,
  readContract,
  sendRawTransaction,
} from 'viem/actions';
import {boundedFetch} from '../bounded-fetch.ts';
import {jsonRpc} from './json-rpc.ts';

/** The receipt of a transaction with some thousand payments in it, or the events of as many. */
const MOST_BYTES = 2 * 1024 * 1024;

/** The limits of each request to a node. */
export interface NodeLimits {
  readonly timeoutMs?: number;
  /** Of an answer. */
  readonly maxBytes?: number;
  /** How often viem repeats a request that failed, with pauses. */
  readonly retries?: number;
}

/** The actions that are used. A Worker would spend half of its start on loading all those of viem's `createPublicClient`. */
const ACTIONS = {
  ...{call, estimateGas, estimateMaxPriorityFeePerGas, getBalance, getBlock, getBlockNumber, getChainId, getCode},
  ...{getFeeHistory, getLogs, getTransaction, getTransactionCount, getTransactionReceipt, multicall, readContract},
  sendRawTransaction,
};

/** A node of the chain. */
export type Node = ReturnType<typeof nodeAt>;

/** Connects to the node at an address. */
export function nodeAt(rpcUrl: string, {timeoutMs = 4_000, maxBytes = MOST_BYTES, retries = 0}: NodeLimits = {}) {
  const send = jsonRpc(rpcUrl, boundedFetch({maxBytes, timeoutMs}));
  const client = createClient({transport: custom({request: send}, {retryCount: retries}), cacheTime: 0});
  const request = client.request as (args: unknown, options?: object) => Promise<unknown>;
  // viem would share one request among all that ask the same. If a Worker stops the one that made it, the others would wait for ever.
  const unshared = (args: unknown, options?: object) => request(args, {...options, dedupe: false});
  return Object.assign(client, {request: unshared as typeof client.request}).extend(actionsOf);
}

/** The same as viem's `publicActions`, which gives them their types. */
function actionsOf(client: Client): Pick<PublicActions, keyof typeof ACTIONS> {
  const actions = Object.entries(ACTIONS as Record<string, (client: Client, options: never) => unknown>);
  const bound = actions.map(([name, action]) => [name, (options: never) => action(client, options)]);
  return Object.fromEntries(bound) as Pick<PublicActions, keyof typeof ACTIONS>;
}
