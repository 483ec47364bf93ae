import {numberToHex, pad, toEventSelector, type Address, type Hex} from 'viem';
import {digestOf, signerOf, type Authorization} from './keys.ts';
import type {Random} from './random.ts';

export const CHAIN_ID = 84532;
export const NETWORK = `eip155:${CHAIN_ID}`;
/** USDC on Base Sepolia. */
export const TOKEN: Address = '0x036cbd53842c5426634e7929541ec2318f3dcf7e';
/** Blocks after which the chain takes nothing back. */
const FINAL_AFTER = 50;

/** 65 bytes in hex, with `0x`. */
const SIGNATURE_LENGTH = 132;
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

const USED = toEventSelector('AuthorizationUsed(address,bytes32)');
const CANCELED = toEventSelector('AuthorizationCanceled(address,bytes32)');
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');

/** A call of the token. */
export type Call =
  | {readonly kind: 'transfer'; readonly authorization: Authorization; readonly signature: Hex}
  | {readonly kind: 'cancel'; readonly from: Address; readonly nonce: Hex};

export interface Transaction {
  readonly hash: Hex;
  readonly call: Call;
  /** A private transaction is seen by others only once it is in a block. */
  readonly isPrivate: boolean;
  /** No block includes it earlier, in milliseconds since 1970. */
  readonly notBefore: number;
}

export interface Log {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly logIndex: Hex;
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
}

export interface Mined {
  readonly transaction: Transaction;
  readonly isSuccess: boolean;
  readonly logs: readonly Log[];
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
  readonly balances: ReadonlyMap<string, bigint>;
  /** By payer and nonce. */
  readonly authorizations: ReadonlyMap<string, 'used' | 'cancelled'>;
}

/** A contract wallet accepts what its owner's key signed. */
export interface Wallet {
  readonly owner: Address;
}

/** A chain with one token (EIP-3009): blocks, a mempool, reorganisations, contract wallets, a clock of its own. */
export class Chain {
  readonly blocks: Block[];
  readonly wallets = new Map<string, Wallet>();
  mempool: Transaction[] = [];
  /** Every transfer that was public or in a block at some time. */
  readonly seen: Extract<Call, {kind: 'transfer'}>[] = [];
  /** Whether Multicall3 is deployed. */
  readonly hasMulticall: boolean;
  readonly #random: Random;
  readonly #clockSkewMs: number;
  #finalNumber = 0;
  /** Results of `isSigned`, which is asked for in each step of a payment. */
  readonly #signed = new Map<string, boolean>();

  constructor(random: Random, balances: ReadonlyMap<string, bigint>, clockSkewMs: number) {
    [this.#random, this.#clockSkewMs, this.hasMulticall] = [random, clockSkewMs, random.chance(0.8)];
    const state = {balances, authorizations: new Map<string, 'used' | 'cancelled'>()};
    this.blocks = [{number: 0, hash: random.hex(32), timestamp: this.#now(), mined: [], state}];
  }

  get head(): Block {
    return this.blocks.at(-1) as Block;
  }

  get finalized(): Block {
    return this.blocks[this.#finalNumber] as Block;
  }

  /** Adds a transaction to the mempool and returns it. */
  broadcast(call: Call, {isPrivate = false, delayMs = 0}: {isPrivate?: boolean; delayMs?: number} = {}): Transaction {
    const transaction = {hash: this.#random.hex(32), call, isPrivate, notBefore: Date.now() + delayMs};
    this.mempool.push(transaction);
    if (!isPrivate && call.kind === 'transfer') this.seen.push(call);
    return transaction;
  }

  /** Mines a block of the transactions that are due, in a random order. */
  mine(): void {
    this.#mineBlock();
    this.#finalNumber = Math.max(this.#finalNumber, this.head.number - FINAL_AFTER);
  }

  #mineBlock(): void {
    const due = this.mempool.filter(({notBefore}) => notBefore <= Date.now());
    const {number, state, timestamp} = this.head;
    const block = {number: number + 1, timestamp: Math.max(timestamp + 1, this.#now()), hash: this.#random.hex(32)};
    if (due.length === 0) {
      this.blocks.push({...block, mined: [], state});
      return;
    }
    this.mempool = this.mempool.filter(transaction => !due.includes(transaction));
    const changing = {balances: new Map(state.balances), authorizations: new Map(state.authorizations)};
    const mined: Mined[] = [];
    let logIndex = 0;
    while (due.length > 0) {
      const [transaction] = due.splice(this.#random.integer(0, due.length - 1), 1) as [Transaction];
      if (transaction.isPrivate && transaction.call.kind === 'transfer') this.seen.push(transaction.call);
      const events = this.#apply(transaction.call, changing, block.timestamp);
      const logs = (events ?? []).map(event => ({
        ...event,
        address: TOKEN,
        logIndex: numberToHex(logIndex++),
        transactionHash: transaction.hash,
        blockNumber: numberToHex(block.number),
      }));
      mined.push({transaction, isSuccess: events !== undefined, logs});
    }
    this.blocks.push({...block, mined, state: changing});
  }

  /** The transaction in the blocks, or undefined if it is in none. */
  find(hash: Hex): Mined | undefined {
    return this.blocks
      .findLast(({mined}) => mined.some(({transaction}) => transaction.hash === hash))
      ?.mined.find(({transaction}) => transaction.hash === hash);
  }

  /** Takes the last blocks back, but none that was final once. Their transactions return to the mempool, except for those that are lost. */
  reorganise(depth: number, lossProbability: number): void {
    for (let count = 0; count < depth && this.head.number > this.finalized.number; count++) {
      const {mined} = this.blocks.pop() as Block;
      for (const {transaction} of mined)
        if (!this.#random.chance(lossProbability))
          this.mempool.push({...transaction, notBefore: Date.now() + this.#random.integer(0, 20_000)});
    }
  }

  /** Whether the payer's key or contract signed an authorization. */
  isSigned(authorization: Authorization, signature: Hex): boolean {
    const id = `${signature} ${Object.values(authorization).join(' ')}`;
    const isSigned =
      this.#signed.get(id) ??
      this.isSignatureOf(authorization.from, digestOf(authorization, CHAIN_ID, TOKEN), signature);
    this.#signed.set(id, isSigned);
    return isSigned;
  }

  isSignatureOf(address: string, hash: Hex, signature: Hex): boolean {
    const wallet = this.wallets.get(address.toLowerCase());
    // The token refuses the second form of a key's signature. EVM's `ecrecover` knows no other v.
    if (!wallet && (signature.length !== SIGNATURE_LENGTH || BigInt(`0x${signature.slice(66, 130)}`) > HALF_ORDER))
      return false;
    if (!['1b', '1c'].includes(signature.slice(130, 132))) return false;
    return signerOf(hash, signature)?.toLowerCase() === (wallet?.owner ?? address).toLowerCase();
  }

  /** Why a transfer would fail after a block, or undefined if it would not. */
  faultOf(
    {authorization, signature}: Extract<Call, {kind: 'transfer'}>,
    {state, timestamp}: Block,
  ): string | undefined {
    const {from, value, validAfter, validBefore, nonce} = authorization;
    if (!this.isSigned(authorization, signature)) return 'signature';
    if (timestamp <= validAfter) return 'valid_after';
    if (timestamp >= validBefore) return 'valid_before';
    if (state.authorizations.has(keyOf(from, nonce))) return 'nonce_already_used';
    return (state.balances.get(from.toLowerCase()) ?? 0n) < value ? 'insufficient_funds' : undefined;
  }

  #apply(
    call: Call,
    {balances, authorizations}: {balances: Map<string, bigint>; authorizations: Map<string, 'used' | 'cancelled'>},
    timestamp: number,
  ): {topics: readonly Hex[]; data: Hex}[] | undefined {
    if (call.kind === 'cancel') {
      const key = keyOf(call.from, call.nonce);
      if (authorizations.has(key)) return undefined;
      authorizations.set(key, 'cancelled');
      return [{topics: topicsOf(CANCELED, call.from, call.nonce), data: '0x'}];
    }
    const {from, to, value, nonce} = call.authorization;
    const block = {...this.head, state: {balances, authorizations}, timestamp};
    if (this.faultOf(call, block) !== undefined) return undefined;
    authorizations.set(keyOf(from, nonce), 'used');
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
