import {BaseError, createPublicClient, http, type PublicClient} from 'viem';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {wordsOf} from '../payments/words.ts';

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

/** An error of a node in one line, with what made the request fail. The long message would show the address, which may hold a key. */
export function wordsOfNode(error: unknown): string {
  if (!(error instanceof BaseError)) return wordsOf(error);
  const {shortMessage, details} = error;
  const words = details && details !== shortMessage ? `${shortMessage} ${details}` : shortMessage;
  // The first error that is not of viem is that of fetch, whose message is in the details; its cause is the reason.
  const failed = error.walk(one => !(one instanceof BaseError));
  return wordsOf(new Error(words, {cause: failed instanceof Error ? failed.cause : undefined}));
}
