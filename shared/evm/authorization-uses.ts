import {encodeEventTopics, HttpRequestError, parseAbi, toHex} from 'viem';
import type {Address, Hex} from 'viem';
import type {Node} from './node.ts';

/** A payment authorization in the terms of the token contract. */
export interface Authorization {
  /** In CAIP-2. */
  readonly network: string;
  readonly asset: string;
  /** In lower case. */
  readonly payer: string;
  readonly payTo: string;
  /** Atomic units of the asset. */
  readonly amount: string;
  readonly nonce: string;
  /** When the authorization expires, in seconds since 1970. */
  readonly validBefore: number;
}

/** The event that used or cancelled an authorization. */
export interface Use {
  readonly isCancellation: boolean;
  readonly transactionHash: Hex;
  readonly logIndex: number;
  readonly blockNumber: bigint;
}

/** The number of blocks in one search; about 2.7 hours on Base. If a node refuses so many, the number is halved until it accepts. */
const WINDOW = 5_000n;
/** Two days of a chain with four blocks a second. */
const MOST_SEARCHES = 140;
/** The most seconds by which this machine's clock may be ahead of the chain's. */
const CLOCK_SLACK = 3600n;

const abi = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
]);
export const [USED] = encodeEventTopics({abi, eventName: 'AuthorizationUsed'});
const [CANCELED] = encodeEventTopics({abi, eventName: 'AuthorizationCanceled'});

/** Yields the events that used or cancelled these authorizations, window by window from a block back to the time `since`. */
export async function* searchBackwards(
  client: Node,
  authorizations: readonly Authorization[],
  latest: bigint,
  since: number,
): AsyncGenerator<ReadonlyMap<string, Use>> {
  const ids = new Set(authorizations.map(idOf));
  const address = [...new Set(authorizations.map(({asset}) => asset as Address))];
  const payers = [...new Set(authorizations.map(({payer}) => topicOf(payer)))];
  const nonces = [...new Set(authorizations.map(({nonce}) => nonce as Hex))];
  let [last, size] = [latest, WINDOW];
  for (let search = 0; search < MOST_SEARCHES && ids.size > 0; search++) {
    const first = last >= size ? last - size + 1n : 0n;
    const filter = {
      address,
      topics: [[USED, CANCELED], payers, nonces] as [Hex[], Hex[], Hex[]],
      fromBlock: toHex(first),
      toBlock: toHex(last),
    };
    const logs = await client.request({method: 'eth_getLogs', params: [filter]}).catch((error: unknown) => {
      // A node that does not answer would not answer for fewer blocks either.
      if (size === 1n || error instanceof HttpRequestError) throw error;
    });
    if (logs === undefined) {
      size /= 2n;
      continue;
    }
    const found = new Map<string, Use>();
    for (const {address: asset, topics, transactionHash, logIndex, blockNumber} of logs) {
      const [event, payer = '', nonce = ''] = topics;
      if (!transactionHash || !logIndex || !blockNumber) continue;
      const use = {transactionHash, logIndex: Number(logIndex), blockNumber: BigInt(blockNumber)};
      const id = idOf({asset, payer: `0x${payer.slice(-40)}`, nonce});
      // Another payer may have signed the same nonce.
      if (ids.has(id)) found.set(id, {...use, isCancellation: event !== USED});
    }
    yield found;
    const {timestamp} = await client.getBlock({blockNumber: first});
    if (first === 0n || timestamp < BigInt(Math.floor(since / 1000)) - CLOCK_SLACK) return;
    last = first - 1n;
  }
}

/** Identifies an authorization. */
export function idOf({asset, payer, nonce}: Pick<Authorization, 'asset' | 'payer' | 'nonce'>): string {
  return [asset, payer, nonce].join('/').toLowerCase();
}

/** Encodes an address as a topic of an event. */
export function topicOf(address: string): Hex {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}
