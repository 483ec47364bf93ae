import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  createPublicClient,
  ExecutionRevertedError,
  http,
  type PublicClient,
} from 'viem';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {wordsOf} from '../payments/words.ts';

const TIMEOUT_MS = 4_000;
const MOST_BYTES = 2 * 1024 * 1024;

/** A node of the chain. */
export type Node = PublicClient;

/** @param hear told the headers of every answer */
export function nodeAt(rpcUrl: string, hear: (headers: Headers) => void = () => undefined): Node {
  const bounded = boundedFetch({maxBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS});
  const fetchFn: typeof fetch = async (input, init) => {
    const response = await bounded(input, init);
    hear(response.headers);
    return response;
  };
  const transport = http(rpcUrl, {timeout: TIMEOUT_MS, retryCount: 0, fetchFn});
  return createPublicClient({transport, cacheTime: 0});
}

/** Whether an error is the chain's own answer, that a call fails, and not a fault of the node. */
export function isRevert(error: unknown): boolean {
  const isOne = (cause: unknown) =>
    cause instanceof ContractFunctionRevertedError ||
    cause instanceof ContractFunctionZeroDataError ||
    cause instanceof ExecutionRevertedError;
  return error instanceof BaseError && error.walk(isOne) !== null;
}

/** An error of a node in one line. The whole of it would show the address of the node, which may hold a key. */
export function wordsOfNode(error: unknown): string {
  if (!(error instanceof BaseError)) return wordsOf(error);
  const {shortMessage, details} = error;
  return wordsOf(new Error(details && details !== shortMessage ? `${shortMessage} ${details}` : shortMessage));
}
