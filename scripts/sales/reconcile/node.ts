import {HttpRequestError, TimeoutError, withRetry} from 'viem';
import {z} from '@x402/core/schemas';
import {TooLarge} from '../../../shared/bounded-fetch.ts';
import {errorMessage} from '../../../shared/error-message.ts';
import {nodeAt} from '../../../shared/evm/node.ts';
import {InputError} from '../../../shared/fault.ts';
import {shownAddress} from '../../../shared/shown-address.ts';

const TIMEOUT_MS = 30_000;
/** Enough for some ten thousand events. If there are more, fewer blocks are searched. */
const MOST_BYTES = 8 * 1024 * 1024;
/** For one block. Anyone can send transfers of nothing to a payee, but the gas of a block is not enough for so many events. */
const MOST_BYTES_OF_BLOCK = 64 * 1024 * 1024;
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 250;

const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,13}$/)
  .transform(Number);
const word = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform(text => text.toLowerCase());
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform(text => text.toLowerCase());
const event = z.object({
  address,
  topics: z.array(word),
  data: z.string(),
  blockNumber: quantity,
  transactionHash: word,
  logIndex: quantity,
});
const block = z.object({number: quantity, hash: word, timestamp: quantity});
const receipt = z.object({status: z.string(), blockNumber: quantity, transactionIndex: quantity, logs: z.array(event)});

/** An event of a contract. Addresses, topics and hashes are in lower case. */
export type ChainEvent = z.infer<typeof event>;
/** A block. Its timestamp is in seconds since 1970. */
export type Block = z.infer<typeof block>;
export type Receipt = z.infer<typeof receipt>;

/** Selects events: of these contracts, with one of the topics at each position (null for any), in blocks `first` to `last`. */
interface EventFilter {
  readonly contracts: readonly string[];
  readonly topics: readonly (readonly string[] | null)[];
  readonly first: number;
  readonly last: number;
}

/** The node does not answer, or its answer is invalid. */
export class NodeError extends InputError {}

export type ChainNode = ReturnType<typeof chainNodeAt>;

/**
 * Connects to a node of a chain by its address. Requests are repeated after a pause if the node is busy or unreachable. Answers are limited
 * in size and validated. All methods reject with `NodeError`.
 */
export function chainNodeAt(rpcUrl: string) {
  const client = nodeAt(rpcUrl, {timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES});
  const clientForBlock = nodeAt(rpcUrl, {timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES_OF_BLOCK});
  const failure = (rule: string, cause?: unknown) =>
    new NodeError({code: 'FZ503', url: shownAddress(rpcUrl, 'origin'), rule}, {cause});

  async function ask<T>(
    method: string,
    params: readonly unknown[],
    schema: z.ZodType<T, z.ZodTypeDef, unknown>,
    isWorthAnother = (error: unknown) => !isRefused(error),
    node = client,
  ): Promise<T> {
    const answer = await withRetry<unknown>(() => node.request({method, params} as never), {
      delay: ({count}) => FIRST_PAUSE_MS * 2 ** count,
      retryCount: ATTEMPTS - 1,
      shouldRetry: ({error}) => isWorthAnother(error),
    }).catch((error: unknown) => {
      throw failure(`does not answer ${method}: ${errorMessage(error)}`, error);
    });
    const read = schema.safeParse(answer);
    if (read.success) return read.data;
    throw failure(`returned an answer to ${method} that does not follow the protocol`);
  }

  return {
    /** Returns the network in CAIP-2. */
    network: async () => `eip155:${await ask('eth_chainId', [], quantity)}`,
    async block(which: 'latest' | 'finalized' | number) {
      const tag = typeof which === 'number' ? hexOf(which) : which;
      return (await ask('eth_getBlockByNumber', [tag, false], block.nullable())) ?? undefined;
    },
    async events({contracts, topics, first, last}: EventFilter) {
      const filter = {address: contracts, topics, fromBlock: hexOf(first), toBlock: hexOf(last)};
      // For many blocks, the answer may be too large; repeating does not help then.
      const areMany = first < last;
      const [isWorthAnother, asked] = [areMany ? isBusy : undefined, areMany ? client : clientForBlock];
      const events = await ask('eth_getLogs', [filter], z.array(event), isWorthAnother, asked);
      const isAskedFor = (each: ChainEvent) =>
        contracts.includes(each.address) &&
        topics.every((of, at) => of?.includes(each.topics[at] ?? '') ?? true) &&
        each.blockNumber >= first &&
        each.blockNumber <= last;
      if (events.every(isAskedFor)) return events;
      throw failure('returned events to eth_getLogs that were not requested');
    },
    receipt: async (transaction: string) =>
      (await ask('eth_getTransactionReceipt', [transaction], receipt.nullable())) ?? undefined,
  };
}

/** True if the same request may succeed later. */
function isBusy(error: unknown): boolean {
  if (error instanceof TimeoutError) return false;
  if (!(error instanceof HttpRequestError)) return /rate.?limit|too many requests|capacity/i.test(errorMessage(error));
  // Without a status, there was no answer, or it exceeded the limits of time or size.
  if (error.status === undefined) return !/within|larger/.test(error.details);
  return error.status === 429 || error.status === 503;
}

/** True if the node refuses the request, for example without an API key, or if the answer is too large. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof HttpRequestError)) return false;
  return error.cause instanceof TooLarge || [400, 401, 403, 404, 405].includes(error.status ?? 0);
}

function hexOf(number: number): string {
  return `0x${number.toString(16)}`;
}

/** The number of blocks that most nodes accept in one query. */
const MOST_BLOCKS = 10_000;
const GROWTH = 1.25;

/**
 * Calls `look` for blocks `first` to `last`, in windows that adapt to the node: half the size after a refusal, a quarter larger after
 * success. Yields the result and the last block of each window. Rejects if a single block is refused.
 */
export async function* inWindows<T>(
  first: number,
  last: number,
  look: (first: number, last: number) => Promise<T>,
): AsyncGenerator<{readonly last: number; readonly seen: T}> {
  let size = MOST_BLOCKS;
  for (let next = first; next <= last;) {
    const end = Math.min(next + size - 1, last);
    try {
      yield {last: end, seen: await look(next, end)};
    } catch (error) {
      if (!(error instanceof NodeError) || end === next) throw error;
      size = Math.ceil((end - next + 1) / 2);
      continue;
    }
    next = end + 1;
    size = Math.min(MOST_BLOCKS, Math.ceil(size * GROWTH));
  }
}
