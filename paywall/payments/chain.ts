import {
  createPublicClient,
  encodeEventTopics,
  http,
  parseAbi,
  parseEventLogs,
  toHex,
  TransactionReceiptNotFoundError,
} from 'viem';
import type {Address, Hex, TransactionReceipt} from 'viem';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import type {NewSale} from '../ledger/sale.ts';
import type {OnTrouble} from './facilitator.ts';
import {UnderWay} from './under-way.ts';
import {wordsOf} from './words.ts';

/** What the chain says of an authorization. */
export type Finding =
  /** It was used by this transaction, for a transfer to the payee. */
  | {readonly kind: 'paid'; readonly transaction: string; readonly isFinal: boolean}
  /** It was not used until this moment of the node's latest block, in milliseconds since 1970: a node may be stuck long ago. */
  | {readonly kind: 'unused'; readonly at: number}
  /** It was cancelled, or used for somebody else, or settled for another gate: it never pays for anything here. */
  | {readonly kind: 'used elsewhere'}
  /** The node did not say, or not yet for good. */
  | {readonly kind: 'no answer'};

/** A payment as the token knows it. */
export type Authorization = Pick<NewSale, 'network' | 'asset' | 'payer' | 'payTo' | 'amount' | 'nonce' | 'validBefore'>;

/** A node of the chain. Nothing of it throws. */
export interface Chain {
  /**
   * Undefined where the sale is on another network.
   *
   * @param since milliseconds since 1970: the authorization was not used before
   * @param named transactions by which it was to be used, if any: where one of them is mined, it pays for nobody else
   */
  find(sale: Authorization, since: number, named?: readonly string[] | null): Promise<Finding | undefined>;
  /** Whether a wallet has signed a message (ERC-1271, ERC-6492); undefined where the node does not say. */
  isSigned(network: string, message: SignedMessage): Promise<boolean | undefined>;
}

type SignedMessage = Readonly<Record<'address' | 'signature', Hex> & {message: string}>;

const TIMEOUT_MS = 1_500;
/** The receipt of a transaction with some thousand payments in it. */
const MOST_BYTES = 2 * 1024 * 1024;
/** As far as public nodes let one search at a time; about 2.7 hours on Base. */
const WINDOW = 5_000n;
/** Two days of a chain with four blocks a second. */
const MOST_WINDOWS = 140;
/** Signatures that the node is asked about at a time. */
const MOST_SIGNATURES = 8;
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

/** An event that ended an authorization. */
interface Use {
  readonly topics: readonly Hex[];
  readonly transactionHash: Hex;
  readonly logIndex: Hex;
}

/**
 * Asks a node of the chain at `rpcUrl`. A used nonce alone proves nothing, since a payer can also cancel it or spend it
 * on somebody else (EIP-3009): what counts is the transfer to the payee in the transaction that used it.
 *
 * @param onTrouble told once, until it answers again, why it does not
 */
export function chainAt(rpcUrl: string, onTrouble: OnTrouble = () => undefined): Chain {
  const fetchFn = boundedFetch({maxBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS});
  const client = createPublicClient({
    transport: http(rpcUrl, {timeout: TIMEOUT_MS, retryCount: 0, fetchFn}),
    cacheTime: 0,
  });
  // Anybody can have the node asked about a signature that they made up.
  const signatures = new UnderWay(MOST_SIGNATURES);
  let chainId: Promise<number> | undefined;
  let isTold = false;

  async function find(
    sale: Authorization,
    since: number,
    named?: readonly string[] | null,
  ): Promise<Finding | undefined> {
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
    if (named?.length && !named.includes(use.transactionHash)) {
      // One payment that was shown to several gates is settled for one of them. The others' transactions fail, but are mined.
      if (await isOneMined(named)) return {kind: 'used elsewhere'};
      // Otherwise who has named them has replaced them, which shows once none can be mined any more.
      if (!isFinal) return {kind: 'no answer'};
    }
    return {kind: 'paid', transaction: use.transactionHash, isFinal};
  }

  async function isOneMined(transactions: readonly string[]): Promise<boolean> {
    const asked = transactions.map(hash => client.getTransactionReceipt({hash: hash as Hex}));
    for (const answer of await Promise.allSettled(asked)) {
      if (answer.status === 'fulfilled') return true;
      if (!(answer.reason instanceof TransactionReceiptNotFoundError)) throw answer.reason;
    }
    return false;
  }

  /** Goes back in time, window by window, to before the sale began. */
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

  /** What is answered, or undefined; the publisher is told why, once until there is an answer again. */
  async function answered<T>(what: string, ask: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await ask();
      isTold = false;
      return answer;
    } catch (error) {
      chainId = undefined;
      if (!isTold) onTrouble(`The node ${new URL(rpcUrl).host} does not say ${what}: ${wordsOf(error)}`);
      isTold = true;
      return undefined;
    }
  }

  return {
    async find(sale, since, named) {
      const answer = await answered('what became of a payment', async () => ({
        finding: await find(sale, since, named),
      }));
      return answer ? answer.finding : {kind: 'no answer'};
    },
    isSigned: (network, message) =>
      signatures.run('', () =>
        answered('who has signed in', async () => {
          chainId ??= client.getChainId();
          return network === `eip155:${await chainId}` ? client.verifyMessage(message) : undefined;
        }),
      ),
  };
}

/**
 * Whether no token takes an authorization any more, for a while. The clock is the chain's: a node may be behind, and so be the blocks in
 * which it can still be used.
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
