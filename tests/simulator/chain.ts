import {numberToHex, pad, toEventSelector, type Address, type Hex} from 'viem';
import {digestOf, signerOf, TOKEN, type Account, type Authorization} from './keys.ts';
import type {Random} from './random.ts';

/** The number of blocks after which the chain is final. */
const FINAL_AFTER = 50;
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

const USED = toEventSelector('AuthorizationUsed(address,bytes32)');
const CANCELED = toEventSelector('AuthorizationCanceled(address,bytes32)');
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');

export interface Transfer {
  readonly kind: 'transfer';
  readonly authorization: Authorization;
  readonly signature: Hex;
}

export type Call =
  | Transfer
  | {readonly kind: 'cancel'; readonly authorization: Pick<Authorization, 'from' | 'nonce'>}
  /** A transaction that only uses a nonce of its sender. */
  | {readonly kind: 'nothing'};

/** The properties for which a transaction of the settler may wait: its nonce, and its price for a unit of gas. */
type Order = Readonly<{nonce: number; maxFee: bigint}>;

export interface Transaction {
  readonly hash: Hex;
  readonly call: Call;
  /** Undefined for senders other than the settler, which are not simulated. */
  readonly order?: Order | undefined;
  /** A private transaction is seen by others only once it is in a block. */
  readonly isPrivate: boolean;
  /** No block includes it earlier, in milliseconds since 1970. */
  readonly notBefore: number;
}

/** An event of the token. In a block, it has all members of a log in JSON-RPC. */
type Log = Readonly<{topics: readonly Hex[]; data: Hex}>;

export interface Mined extends Transaction {
  readonly isSuccess: boolean;
  readonly logs: readonly Log[];
  /** As in JSON-RPC. */
  readonly receipt: object;
}

export interface Block {
  readonly number: number;
  readonly hash: Hex;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly mined: readonly Mined[];
  readonly state: State;
}

/** The token's state after a block. */
interface State {
  readonly balances: Map<string, bigint>;
  /** The used and cancelled authorizations by payer and nonce. */
  readonly authorizations: Set<string>;
  /** The next nonce of the settler, and the wei that its transactions have cost. */
  nonce: number;
  spent: bigint;
}

export class RpcFault extends Error {
  code = -32000;
}

/** Units of gas of any transaction. */
export const GAS = 80_000n;

/** A chain with one token (EIP-3009): blocks, a mempool, reorganisations, contract wallets, and a separate clock. */
export class Chain {
  readonly blocks: Block[];
  /** The contract wallets by address. They accept signatures by their owner's key, unless they are closed. */
  readonly wallets = new Map<string, {readonly owner: Address; isClosed: boolean}>();
  mempool: Transaction[] = [];
  /** Every transfer that was public or in a block at some time. */
  readonly seen: Transfer[] = [];
  readonly hasMulticall: boolean;
  /** The wei that the settler was sent for gas. */
  granted = 0n;
  /** The minimum price for a unit of gas in the next block, in wei. */
  baseFee = 10n ** 9n;
  /** The number of the last block that is final. */
  finalNumber = 0;
  readonly #random: Random;
  readonly #clockSkewMs: number;

  /** @param balance what every account has of the token */
  constructor(random: Random, accounts: readonly Account[], balance: bigint, clockSkewMs: number) {
    [this.#random, this.#clockSkewMs, this.hasMulticall] = [random, clockSkewMs, random.chance(0.8)];
    const balances = new Map(accounts.map(({address}) => [address.toLowerCase(), balance]));
    for (const {address, keyAddress: owner} of accounts)
      if (address.toLowerCase() !== owner.toLowerCase())
        this.wallets.set(address.toLowerCase(), {owner, isClosed: false});
    const state = {balances, authorizations: new Set<string>(), nonce: 0, spent: 0n};
    this.blocks = [{number: 0, hash: random.hex(32), timestamp: this.#now(), mined: [], state}];
  }

  get head(): Block {
    return this.blocks.at(-1) as Block;
  }

  broadcast(call: Call, options: Partial<Omit<Transaction, 'call'>> = {}): Transaction {
    const transaction = {hash: this.#random.hex(32), call, isPrivate: false, notBefore: Date.now(), ...options};
    this.mempool.push(transaction);
    if (!transaction.isPrivate && call.kind === 'transfer') this.seen.push(call);
    return transaction;
  }

  /** Adds a transaction of the settler, and removes the one that it replaces. Throws `RpcFault` if a node would refuse it. */
  send(hash: Hex, call: Call, order: Order): void {
    const previous = this.mempool.find(each => each.order?.nonce === order.nonce);
    if (previous?.hash === hash) throw new RpcFault('already known');
    if (order.nonce < this.head.state.nonce) throw new RpcFault('nonce too low');
    if (previous?.order && order.maxFee * 10n < previous.order.maxFee * 11n)
      throw new RpcFault('replacement transaction underpriced');
    if (GAS * order.maxFee > this.granted - this.head.state.spent) throw new RpcFault('insufficient funds for gas');
    this.mempool = this.mempool.filter(each => each !== previous);
    this.broadcast(call, {hash, order});
  }

  /** The next nonce of the settler, counting the transactions in the mempool. */
  get pendingNonce(): number {
    const waiting = new Set(this.mempool.map(({order}) => order?.nonce));
    let {nonce} = this.head.state;
    while (waiting.has(nonce)) nonce += 1;
    return nonce;
  }

  /** Mines a block of the transactions that are due, in a random order. */
  mine(): void {
    if (this.granted > 0n) this.baseFee = (this.baseFee * BigInt(this.#random.integer(88, 113))) / 100n + 1n;
    const due = this.mempool.filter(({notBefore}) => notBefore <= Date.now());
    const {number, state, timestamp} = this.head;
    const block = {number: number + 1, timestamp: Math.max(timestamp + 1, this.#now()), hash: this.#random.hex(32)};
    const {balances, authorizations} = state;
    // A block without transactions shares the state of the block before it.
    const changing =
      due.length === 0 ? state : {...state, balances: new Map(balances), authorizations: new Set(authorizations)};
    const mined: Mined[] = [];
    let logIndex = 0;
    for (;;) {
      const ready = due.filter(({order}) => !order || (order.nonce === changing.nonce && order.maxFee >= this.baseFee));
      if (ready.length === 0) break;
      const transaction = this.#random.pick(ready);
      due.splice(due.indexOf(transaction), 1);
      if (transaction.order)
        [changing.nonce, changing.spent] = [changing.nonce + 1, changing.spent + GAS * this.baseFee];
      if (transaction.isPrivate && transaction.call.kind === 'transfer') this.seen.push(transaction.call);
      const events = this.#apply(transaction.call, changing, block.timestamp);
      const place = {transactionHash: transaction.hash, blockHash: block.hash, blockNumber: numberToHex(block.number)};
      const logs = (events ?? []).map(event => ({
        ...{...event, ...place, address: TOKEN, logIndex: numberToHex(logIndex++)},
      }));
      const receipt = {...place, status: events ? '0x1' : '0x0', logs};
      mined.push({...transaction, isSuccess: events !== undefined, logs, receipt});
    }
    const included = new Set(mined.map(({hash}) => hash));
    this.mempool = this.mempool.filter(
      ({hash, order}) => !included.has(hash) && (order === undefined || order.nonce >= changing.nonce),
    );
    this.blocks.push({...block, mined, state: changing});
    this.finalNumber = Math.max(this.finalNumber, block.number - FINAL_AFTER);
  }

  /** Removes the last blocks, except final ones. Their transactions return to the mempool, except for those that are lost. */
  reorganise(depth: number, lossProbability: number): void {
    for (let count = 0; count < depth && this.head.number > this.finalNumber; count++) {
      const {mined} = this.blocks.pop() as Block;
      for (const transaction of mined)
        if (!this.#random.chance(lossProbability))
          this.mempool.push({...transaction, notBefore: Date.now() + this.#random.integer(0, 20_000)});
    }
  }

  /** Returns true if any account could settle the payment of a sale, now or once its payer has the money: it was public and is unused. */
  isPayable(sale: string, payees: readonly Address[]): boolean {
    const {state, timestamp} = this.head;
    return this.seen.some(({authorization: {from, to, nonce, validBefore}}) => {
      const key = keyOf(from, nonce);
      return sale.endsWith(key) && payees.includes(to) && validBefore > timestamp && !state.authorizations.has(key);
    });
  }

  /** Returns true if the key or the contract at an address made a signature. */
  isSignatureOf(address: string, hash: Hex, signature: Hex): boolean {
    const wallet = this.wallets.get(address.toLowerCase());
    if (wallet?.isClosed) return false;
    // The signature of a key has 65 bytes. The token refuses its second form, and EVM's `ecrecover` knows no other v.
    if (!wallet && (signature.length !== 132 || BigInt(`0x${signature.slice(66, 130)}`) > HALF_ORDER)) return false;
    if (!['1b', '1c'].includes(signature.slice(130, 132))) return false;
    return signerOf(hash, signature)?.toLowerCase() === (wallet?.owner ?? address).toLowerCase();
  }

  /** Returns the code of x402 for the reason why a transfer would fail after a block, or undefined if it would succeed. */
  faultOf({authorization, signature}: Transfer, {state, timestamp}: Block): string | undefined {
    const {from, value, validAfter, validBefore, nonce} = authorization;
    if (!this.isSignatureOf(from, digestOf(authorization), signature)) return 'invalid_exact_evm_signature';
    if (timestamp <= validAfter) return 'invalid_exact_evm_payload_authorization_valid_after';
    if (timestamp >= validBefore) return 'invalid_exact_evm_payload_authorization_valid_before';
    if (state.authorizations.has(keyOf(from, nonce))) return 'invalid_exact_evm_nonce_already_used';
    return (state.balances.get(from.toLowerCase()) ?? 0n) < value ? 'insufficient_funds' : undefined;
  }

  /** Changes the state as a call does, and returns its events, or undefined if it reverts. */
  #apply(call: Call, changing: State, timestamp: number): Log[] | undefined {
    const {balances, authorizations} = changing;
    if (call.kind === 'nothing') return [];
    const {from, nonce} = call.authorization;
    const key = keyOf(from, nonce);
    const block = {...this.head, state: changing, timestamp};
    if (call.kind === 'cancel' ? authorizations.has(key) : this.faultOf(call, block) !== undefined) return undefined;
    authorizations.add(key);
    if (call.kind === 'cancel') return [{topics: topicsOf(CANCELED, from, nonce), data: '0x'}];
    const {to, value} = call.authorization;
    move(balances, from, -value);
    move(balances, to, value);
    return [
      {topics: topicsOf(USED, from, nonce), data: '0x'},
      {topics: topicsOf(TRANSFER, from, to), data: pad(numberToHex(value))},
    ];
  }

  #now(): number {
    return Math.floor((Date.now() + this.#clockSkewMs) / 1000);
  }
}

export function keyOf(payer: string, nonce: string): string {
  return `${payer} ${nonce}`.toLowerCase();
}

/** Topics of an event: its selector, then each indexed value in 32 bytes. */
function topicsOf(selector: Hex, ...indexed: readonly Hex[]): Hex[] {
  return [selector, ...indexed.map(value => pad(value).toLowerCase() as Hex)];
}

function move(balances: Map<string, bigint>, account: string, value: bigint): void {
  balances.set(account.toLowerCase(), (balances.get(account.toLowerCase()) ?? 0n) + value);
}

/** Returns the transaction with a hash, or undefined if it is in none of the blocks. */
export function minedIn(blocks: readonly Block[], hash: Hex): Mined | undefined {
  const isIt = (each: Mined) => each.hash === hash;
  return blocks.findLast(({mined}) => mined.some(isIt))?.mined.find(isIt);
}

/** Returns the authorizations that paid one of the payees. */
export function chargesIn(mined: readonly Mined[], payees: readonly Address[]): Authorization[] {
  const transfers = mined.flatMap(({call, isSuccess}) => (isSuccess && call.kind === 'transfer' ? call : []));
  return transfers.map(({authorization}) => authorization).filter(({to}) => payees.includes(to));
}
