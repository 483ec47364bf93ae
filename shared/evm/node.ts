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

/** Enough for the receipt of a transaction with some thousand payments, or as many events. */
const MOST_BYTES = 2 * 1024 * 1024;

/** The limits of each request to a node. */
export interface NodeLimits {
  readonly timeoutMs?: number;
  /** The largest response, in bytes. */
  readonly maxBytes?: number;
  /** How often viem repeats a failed request, with pauses. */
  readonly retries?: number;
}

/** The viem actions that are used. Loading all actions of `createPublicClient` would take half of a Worker's start time. */
const ACTIONS = {
  ...{call, estimateGas, estimateMaxPriorityFeePerGas, getBalance, getBlock, getBlockNumber, getChainId, getCode},
  ...{getFeeHistory, getLogs, getTransaction, getTransactionCount, getTransactionReceipt, multicall, readContract},
  sendRawTransaction,
};

/** A client of a node. */
export type Node = ReturnType<typeof nodeAt>;

/** Returns a client of the node at a URL. */
export function nodeAt(rpcUrl: string, {timeoutMs = 4_000, maxBytes = MOST_BYTES, retries = 0}: NodeLimits = {}) {
  const send = jsonRpc(rpcUrl, boundedFetch({maxBytes, timeoutMs}));
  const client = createClient({transport: custom({request: send}, {retryCount: retries}), cacheTime: 0});
  const request = client.request as (args: unknown, options?: object) => Promise<unknown>;
  // viem shares one request among equal ones. If a Worker stops the request that made it, the others would wait forever.
  const unshared = (args: unknown, options?: object) => request(args, {...options, dedupe: false});
  return Object.assign(client, {request: unshared as typeof client.request}).extend(actionsOf);
}

/** Replaces viem's `publicActions`, with its types. */
function actionsOf(client: Client): Pick<PublicActions, keyof typeof ACTIONS> {
  const actions = Object.entries(ACTIONS as Record<string, (client: Client, options: never) => unknown>);
  const bound = actions.map(([name, action]) => [name, (options: never) => action(client, options)]);
  return Object.fromEntries(bound) as Pick<PublicActions, keyof typeof ACTIONS>;
}
