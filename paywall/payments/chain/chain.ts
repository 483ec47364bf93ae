import {createPublicClient, encodeEventTopics, http, parseAbi, parseEventLogs, toHex} from 'viem';
import type {Address, Hex, TransactionReceipt} from 'viem';
import {boundedFetch} from '../../../shared/bounded-fetch.ts';
import type {NewSale} from '../../ledger/sale.ts';
import type {OnTrouble} from '../facilitator/facilitator.ts';
import {isSignedByContract, type SignedDigest} from './contract-signature.ts';
import {errorMessage} from '../../../shared/error-message.ts';

/** The status of a payment authorization on the chain. */
export type AuthorizationStatus =
  /** A transaction used it for a transfer to the payee. It does not matter which one: the payee has the money. */
  | {readonly kind: 'paid'; readonly transaction: string; readonly isFinal: boolean}
  /** It was not used up to this time of the node's latest block, in milliseconds since 1970. The node may be far behind. */
  | {readonly kind: 'unused'; readonly at: number}
  /** It was cancelled, or used for another payee. It can never pay for anything here. */
  | {readonly kind: 'used elsewhere'}
  /** The node did not answer, or not conclusively yet. */
  | {readonly kind: 'no answer'};

/** A payment authorization as the token contract knows it. */
export type Authorization = Pick<NewSale, 'network' | 'asset' | 'payer' | 'payTo' | 'amount' | 'nonce' | 'validBefore'>;

/** A node of the chain. Its methods never throw. */
export interface Chain {
  /**
   * Returns undefined if the sale is on another network.
   *
   * @param since milliseconds since 1970; the authorization was not used before
   */
  find(sale: Authorization, since: number): Promise<AuthorizationStatus | undefined>;
  /** Whether the contract at an address accepts a signature of a digest (ERC-1271, ERC-6492). Undefined if the node does not answer. */
  isSigned(network: string, signed: SignedDigest): Promise<boolean | undefined>;
}

const TIMEOUT_MS = 1_500;
/** The receipt of a transaction with some thousand payments in it. */
const MOST_BYTES = 2 * 1024 * 1024;
/** As far as public nodes let one search at a time; about 2.7 hours on Base. */
const WINDOW = 5_000n;
/** Two days of a chain with four blocks a second. */
const MOST_WINDOWS = 140;
/** How long the answer whether an address has code is reused, in milliseconds, and for how many addresses. */
const CODE_FRESH_MS = 10_000;
const MOST_CODES = 10_000;
/** Ends a signature of a contract wallet that is not deployed yet (ERC-6492). */
const ERC6492_SUFFIX = '6492'.repeat(16);
/** Seconds by which our clock may be ahead of the chain's. */
const CLOCK_SLACK = 3600n;

const abi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const [[USED], [CANCELED]] = [
  encodeEventTopics({abi, eventName: 'AuthorizationUsed'}),
  encodeEventTopics({abi, eventName: 'AuthorizationCanceled'}),
];

/** The event that used or cancelled an authorization. */
interface Use {
  readonly topics: readonly Hex[];
  readonly transactionHash: Hex;
  readonly logIndex: Hex;
}

/**
 * Connects to a node of the chain. A used nonce proves nothing, because a payer can also cancel it or spend it on another payee
 * (EIP-3009). Only the transfer to the payee in the transaction that used it counts.
 *
 * @param onTrouble receives the reason, once until the node answers again, if the node does not answer
 */
export function chainAt(rpcUrl: string, onTrouble: OnTrouble = () => undefined): Chain {
  const fetchFn = boundedFetch({maxBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS});
  const client = createPublicClient({
    transport: http(rpcUrl, {timeout: TIMEOUT_MS, retryCount: 0, fetchFn}),
    cacheTime: 0,
  });
  const contracts = new Map<Hex, {readonly at: number; readonly isContract: boolean}>();
  let chainId: Promise<number> | undefined;
  let isTold = false;

  async function find(sale: Authorization, since: number): Promise<AuthorizationStatus | undefined> {
    chainId ??= client.getChainId();
    if (sale.network !== `eip155:${await chainId}`) return undefined;
    const args = [sale.payer as Address, sale.nonce as Hex] as const;
    const {number: blockNumber, timestamp} = await client.getBlock();
    const isUsed = await client.readContract({
      address: sale.asset as Address,
      abi,
      functionName: 'authorizationState',
      args,
      blockNumber,
    });
    if (!isUsed) return {kind: 'unused', at: Number(timestamp) * 1000};
    const use = await useOf(sale, since);
    if (!use) return {kind: 'no answer'};
    if (use.topics[0] !== USED) return {kind: 'used elsewhere'};
    const receipt = await client.getTransactionReceipt({hash: use.transactionHash});
    if (!isPaidIn(receipt, use, sale)) return {kind: 'used elsewhere'};
    const final = await client.getBlock({blockTag: 'finalized'});
    const isFinal = receipt.blockNumber <= final.number;
    return {kind: 'paid', transaction: use.transactionHash, isFinal};
  }

  /** Whether there is code at an address. Kept for some seconds, because forged payments can repeat an address. */
  async function isContract(address: Hex): Promise<boolean> {
    const known = contracts.get(address);
    if (known && performance.now() - known.at < CODE_FRESH_MS) return known.isContract;
    const code = await client.getCode({address});
    const isContract = code !== undefined && code !== '0x';
    if (contracts.size >= MOST_CODES) contracts.clear();
    contracts.set(address, {at: performance.now(), isContract});
    return isContract;
  }

  async function isSigned(network: string, {address, hash, signature}: SignedDigest): Promise<boolean | undefined> {
    chainId ??= client.getChainId();
    if (network !== `eip155:${await chainId}`) return undefined;
    // A wallet that is not deployed yet proves itself with a wrapped signature (ERC-6492). Otherwise only code can accept it.
    if (!signature.endsWith(ERC6492_SUFFIX) && !(await isContract(address))) return false;
    return isSignedByContract(client, {address, hash, signature});
  }

  /** Searches backwards, window by window, to before the sale began. */
  async function useOf({asset, payer, nonce}: Authorization, since: number): Promise<Use | undefined> {
    const address = asset as Address;
    const topics = [[USED, CANCELED], `0x${payer.slice(2).padStart(64, '0')}`, nonce as Hex] as [Hex[], Hex, Hex];
    let last = await client.getBlockNumber();
    for (let window = 0; window < MOST_WINDOWS; window++) {
      const first = last > WINDOW ? last - WINDOW : 0n;
      const filter = {
        address,
        topics,
        fromBlock: toHex(first),
        toBlock: window === 0 ? 'latest' : toHex(last),
      } as const;
      const [use] = await client.request({method: 'eth_getLogs', params: [filter]});
      if (use?.transactionHash && use.logIndex) return use as Use;
      const {timestamp} = await client.getBlock({blockNumber: first});
      if (first === 0n || timestamp < BigInt(Math.floor(since / 1000)) - CLOCK_SLACK) return undefined;
      last = first;
    }
    return undefined;
  }

  /** The node's answer, or undefined. Reports why there is none, once until the node answers again. */
  async function answered<T>(what: string, ask: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await ask();
      isTold = false;
      return answer;
    } catch (error) {
      chainId = undefined;
      if (!isTold) onTrouble(`The node ${new URL(rpcUrl).host} does not answer ${what}: ${errorMessage(error)}`);
      isTold = true;
      return undefined;
    }
  }

  return {
    async find(sale, since) {
      const answer = await answered('what became of a payment', async () => ({status: await find(sale, since)}));
      return answer ? answer.status : {kind: 'no answer'};
    },
    isSigned: (network, signed) => answered('whether a contract wallet signed', () => isSigned(network, signed)),
  };
}

/**
 * Whether an authorization has expired, some time ago.
 *
 * @param at the time of a block, or ours, in milliseconds since 1970: a node may be behind, and so are the blocks that can still use it
 * @param forMs how long ago, in milliseconds
 */
export function isOverAt(at: number, {validBefore}: Pick<Authorization, 'validBefore'>, forMs = 0): boolean {
  return at >= validBefore * 1000 + forMs;
}

/** A transaction may hold several payments: the transfer of this one is the very next event of the token. */
function isPaidIn({logs}: TransactionReceipt, {logIndex}: Use, {asset, payer, payTo, amount}: Authorization): boolean {
  const args = {from: payer as Address, to: payTo as Address, value: BigInt(amount)};
  const transfers = parseEventLogs({abi, eventName: 'Transfer', args, logs});
  return transfers.some(
    log => log.address.toLowerCase() === asset.toLowerCase() && log.logIndex === Number(logIndex) + 1,
  );
}
