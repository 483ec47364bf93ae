import {BaseError, isAddressEqual, parseAbi, parseEventLogs, TransactionReceiptNotFoundError} from 'viem';
import type {Address, Hex} from 'viem';
import {TooLarge} from '../bounded-fetch.ts';
import {idOf, searchBackwards, type Authorization, type Use} from './authorization-uses.ts';
import type {Node} from './node.ts';

/** The status of a payment authorization on the chain. */
export type AuthorizationStatus =
  /** A transaction used it for a transfer to the payee. Any transaction counts, because the payee has the money. */
  | {readonly kind: 'paid'; readonly transaction: string; readonly isFinal: boolean}
  /** It was unused at `at`, the time of the node's latest block, in milliseconds since 1970. The node may be far behind. */
  | {readonly kind: 'unused'; readonly at: number}
  /** It was cancelled, or used for another payee. It can never pay here, unless the chain reverts that before it is final. */
  | {readonly kind: 'used elsewhere'; readonly isFinal: boolean}
  /** The node did not answer, or not conclusively yet. */
  | {readonly kind: 'no answer'};

/** The most authorizations in one request to the node: geth accepts 1,000 values of a topic. */
export const MOST_AUTHORIZATIONS = 500;

/** Multicall3 has this address on every chain. */
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11';

const abi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
type Transfers = ReturnType<typeof parseEventLogs<typeof abi, true, 'Transfer'>>;

/**
 * Returns the status of each authorization, of at most `MOST_AUTHORIZATIONS`, according to a node of their chain. The number of requests
 * does not depend on the number of authorizations, except for those that were used without paying, or if the search for transfers fails.
 * Rejects if the node does not answer.
 * @param since milliseconds since 1970; none of the authorizations was used before
 */
export async function statusesOf(
  client: Node,
  authorizations: readonly Authorization[],
  since: number,
): Promise<AuthorizationStatus[]> {
  const latest = await client.getBlock();
  const states = await statesAt(client, authorizations, latest.number);
  const used = authorizations.filter((_, at) => states[at]);
  const outcomes = new Map<string, Use & {readonly isPaid: boolean}>();
  for await (const uses of searchBackwards(client, used, latest.number, since)) {
    const transfers = await transfersOf(client, used, uses);
    for (const authorization of used) {
      const use = uses.get(idOf(authorization));
      if (!use) continue;
      const isPaid = !use.isCancellation && (await paid(client, authorization, use, transfers));
      if (isPaid !== undefined) outcomes.set(idOf(authorization), {...use, isPaid});
    }
    if (outcomes.size === used.length) break;
  }
  const final = outcomes.size > 0 ? await finalBlock(client) : 0n;
  return authorizations.map((authorization, at) => {
    if (!states[at]) return {kind: 'unused', at: Number(latest.timestamp) * 1000};
    const outcome = outcomes.get(idOf(authorization));
    if (!outcome) return {kind: 'no answer'};
    const isFinal = outcome.blockNumber <= final;
    return outcome.isPaid
      ? {kind: 'paid', transaction: outcome.transactionHash, isFinal}
      : {kind: 'used elsewhere', isFinal};
  });
}

/** Returns the number of the last final block, or 0 if the node knows none, as after a restart or on some chains. */
async function finalBlock(client: Node): Promise<bigint> {
  return client.getBlock({blockTag: 'finalized'}).then(
    ({number}) => number,
    () => 0n,
  );
}

/**
 * Returns true if an authorization has expired, at least `forMs` ago.
 * @param at the time of a block or of this machine, in milliseconds since 1970; a node may be behind, and so may the blocks that can still
 * use the authorization
 * @param forMs milliseconds since the expiry
 */
export function isOverAt(at: number, {validBefore}: Pick<Authorization, 'validBefore'>, forMs = 0): boolean {
  return at >= validBefore * 1000 + forMs;
}

/**
 * True for each authorization that is used or cancelled at a block. Missing events would prove nothing, because a node that is behind lacks
 * them.
 */
async function statesAt(
  client: Node,
  authorizations: readonly Authorization[],
  blockNumber: bigint,
): Promise<boolean[]> {
  const calls = authorizations.map(({asset, payer, nonce}) => ({
    address: asset as Address,
    abi,
    functionName: 'authorizationState' as const,
    args: [payer as Address, nonce as Hex] as const,
  }));
  const [first, ...others] = calls;
  if (!first || others.length === 0) return Promise.all(calls.map(call => client.readContract({...call, blockNumber})));
  const answers = await client.multicall({contracts: calls, multicallAddress: MULTICALL, batchSize: 0, blockNumber});
  // Without Multicall3 on the chain, each authorization needs its own request.
  return Promise.all(
    answers.map(async ({result}, at) => result ?? client.readContract({...(calls[at] ?? first), blockNumber})),
  );
}

/**
 * The transfers from the payers to their payees, in the blocks of these events. Undefined if the search fails, for example because anyone
 * can send so many transfers of nothing that the node refuses it. Then the receipts decide.
 */
async function transfersOf(
  client: Node,
  authorizations: readonly Authorization[],
  uses: ReadonlyMap<string, Use>,
): Promise<Transfers | undefined> {
  const paying = authorizations.filter(each => uses.get(idOf(each))?.isCancellation === false);
  if (paying.length === 0) return [];
  const blocks = paying.map(each => uses.get(idOf(each))?.blockNumber ?? 0n);
  const distinct = (values: readonly string[]) => [...new Set(values)] as Address[];
  const searching = client.getLogs({
    address: distinct(paying.map(({asset}) => asset)),
    event: abi[1],
    args: {from: distinct(paying.map(({payer}) => payer)), to: distinct(paying.map(({payTo}) => payTo))},
    fromBlock: blocks.reduce((one, other) => (one < other ? one : other)),
    toBlock: blocks.reduce((one, other) => (one > other ? one : other)),
    strict: true,
  });
  return searching.catch(() => undefined);
}

/**
 * True if a use of an authorization paid the payee. If no transfer was found, the receipt decides. Undefined if the node lacks the receipt.
 * Anyone can send an authorization in a transaction whose receipt is too large. Then the search decides, because an error would
 * leave the other authorizations without an answer.
 */
async function paid(
  client: Node,
  authorization: Authorization,
  use: Use,
  transfers: Transfers | undefined,
): Promise<boolean | undefined> {
  const isOf = (transfer: Transfers[number]) => isTransferOf(transfer, authorization, use);
  if (transfers?.some(isOf)) return true;
  try {
    const {logs} = await client.getTransactionReceipt({hash: use.transactionHash});
    return parseEventLogs({abi, eventName: 'Transfer', logs}).some(isOf);
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    if (isTooLarge(error)) return transfers ? false : undefined;
    throw error;
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof BaseError && error.walk(cause => cause instanceof TooLarge) !== null;
}

/** A transaction may contain several payments. The transfer of each is the token's next event. */
function isTransferOf(
  {address, transactionHash, logIndex, args}: Transfers[number],
  {asset, payer, payTo, amount}: Authorization,
  use: Use,
): boolean {
  return (
    transactionHash === use.transactionHash &&
    logIndex === use.logIndex + 1 &&
    isAddressEqual(address, asset as Address) &&
    isAddressEqual(args.from, payer as Address) &&
    isAddressEqual(args.to, payTo as Address) &&
    args.value === BigInt(amount)
  );
}
