import {createPublicClient, http, type PublicClient} from 'viem';
import {boundedFetch} from '../../shared/bounded-fetch.ts';

const TIMEOUT_MS = 4_000;
const MOST_BYTES = 2 * 1024 * 1024;

/** A node of the chain. */
export type Node = PublicClient;

/** Connects to the node at an address. */
export function nodeAt(rpcUrl: string): Node {
  const fetchFn = boundedFetch({maxBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS});
  const transport = http(rpcUrl, {timeout: TIMEOUT_MS, retryCount: 0, fetchFn});
  return createPublicClient({transport, cacheTime: 0});
}
