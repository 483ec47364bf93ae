import {keccak256, parseTransaction, TransactionReceiptNotFoundError} from 'viem';
import type {Address, Hex, TransactionReceipt} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../ledger/ledger.ts';
import type {Reservation, Signer} from '../ledger/reservation.ts';
import type {OnTrouble} from '../payments/facilitator/facilitator.ts';
import {sleep} from '../payments/services.ts';
import {goingFees, raised, type Fees} from './fees.ts';
import {errorMessage} from '../../shared/error-message.ts';
import type {Node} from '../payments/chain/node.ts';

/** A call of a contract. */
export interface Call {
  readonly to: Address;
  readonly data: Hex;
}

/** A transaction before it is signed. */
interface Draft extends Call, Fees {
  readonly gas: bigint;
}

/** There is too little of the chain's coin for another transaction. */
export class OutOfGas extends Error {}

/** The call costs more gas than a sale may. */
export class TooMuchGas extends Error {}

/** How often the chain is asked whether a transaction is mined. */
const LOOK_EVERY_MS = 250;
/** After which a transaction is sent again, and replaced where it offers less than the next block asks for. */
export const STALE_MS = 5_000;
/** After which the first one in line is replaced, whatever it offers. */
export const STUCK_MS = 20_000;
/** How long a node may know that a number is used, and not by which transaction. */
const RECEIPT_MS = 3_000;
/** Of one sale. A contract wallet decides what checking its signature costs, and whoever makes one pays nothing for that. */
const MOST_GAS = 500_000n;
/** Transactions of one account that may wait at a time. Where a node names a number that is far too high, filling all before it costs gas. */
const MOST_WAITING = 1_000;
const EMPTY = {data: '0x', gas: 21_000n} as const;
const HARMLESS = /already known|already imported|nonce too low|underpriced/i;

/** The transactions of one account: signed and numbered here, kept in the ledger, replaced where they hang. */
export class Transactions {
  readonly #account: PrivateKeyAccount;
  readonly #node: Node;
  readonly #ledger: Ledger;
  readonly #onTrouble: OnTrouble;
  #signer: Signer | undefined;
  #count = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #trouble = '';

  constructor(account: PrivateKeyAccount, node: Node, ledger: Ledger, onTrouble: OnTrouble) {
    [this.#account, this.#node, this.#ledger, this.#onTrouble] = [account, node, ledger, onTrouble];
  }

  /** The account on the chain of the node. */
  async signer(): Promise<Signer> {
    this.#signer ??= {
      network: `eip155:${await this.#node.getChainId()}`,
      address: this.#account.address.toLowerCase(),
    };
    return this.#signer;
  }

  /**
   * Reserves a number for a call, signs and sends it. Rejects if the call would fail, or the node or the ledger does: then nothing was
   * sent. Rejects with `OutOfGas` if the account cannot pay, and with `TooMuchGas` if the call costs more than it may.
   *
   * @param reserved the number if one is reserved already
   */
  async begin(call: Call, key: string, reserved?: number): Promise<Reservation> {
    const {address} = this.#account;
    const [draft, from, used] = await Promise.all([
      this.#draftOf(call),
      this.#node.getTransactionCount({address, blockTag: 'pending'}),
      this.#node.getTransactionCount({address, blockTag: 'latest'}),
    ]);
    if (from > used + MOST_WAITING)
      throw new Error(`the node says that ${from - used} transactions of it wait to be mined`);
    const nonce = reserved ?? (await this.#ledger.reserveNonce(await this.signer(), key, from));
    return {nonce, sale: key, transactions: [await this.#sendNew(nonce, draft)], age: 0};
  }

  /**
   * Waits until a number is used: the receipt, or nothing where that was by another transaction. Rejects where it takes longer.
   *
   * @param meanwhile called now and then where it takes long
   */
  async wait(
    numbered: Reservation,
    ms: number,
    meanwhile: () => Promise<void>,
  ): Promise<TransactionReceipt | undefined> {
    let {transactions: signed} = numbered;
    const began = performance.now() - numbered.age;
    let staleAt = began + STALE_MS;
    for (const end = performance.now() + ms; performance.now() < end; await sleep(LOOK_EVERY_MS)) {
      const count = await this.count().catch(() => 0);
      if (count > numbered.nonce) return this.#minedOf(signed);
      if (performance.now() < staleAt) continue;
      const isStuck = count === numbered.nonce && performance.now() - began > STUCK_MS;
      signed = await this.push({...numbered, transactions: signed}, isStuck);
      if (count < numbered.nonce) await meanwhile().catch(() => undefined);
      staleAt = performance.now() + STALE_MS;
    }
    throw new Error(`no transaction with the number ${numbered.nonce} is mined`);
  }

  /** Sends what hangs once more: with higher fees where it offers too little, or is `stuck`. What is signed by then. */
  async push(numbered: Reservation, isStuck: boolean): Promise<readonly Hex[]> {
    const {nonce, transactions: signed} = numbered;
    const last = signed.at(-1);
    const going = await goingFees(this.#node).catch(() => undefined);
    if (!last || !going) return signed;
    const {to, data = '0x', gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n} = parseTransaction(last);
    const isLow = maxFeePerGas < going.base;
    const fees = isLow || isStuck ? raised({maxFeePerGas, maxPriorityFeePerGas}, going) : undefined;
    if (!fees || !to) {
      await this.#broadcast(last);
      return signed;
    }
    return [...signed, await this.#sendNew(nonce, {to, data, gas, ...fees})];
  }

  /** Uses a number up by a transaction that moves nothing, to oneself, and keeps that in the ledger where it was reserved. */
  async fill(nonce: number, isReserved: boolean): Promise<void> {
    const draft = {to: this.#account.address, ...EMPTY, ...(await goingFees(this.#node))};
    if (isReserved) await this.#sendNew(nonce, draft);
    else await this.#broadcast(await this.#sign(nonce, draft));
  }

  /** How many numbers of the account are used in blocks, as of a moment ago. Nobody waits for another's question. */
  async count(): Promise<number> {
    if (performance.now() - this.#countedAt < LOOK_EVERY_MS) return this.#count;
    this.#countedAt = performance.now();
    this.#count = await this.#node.getTransactionCount({address: this.#account.address, blockTag: 'latest'});
    return this.#count;
  }

  async #draftOf(call: Call): Promise<Draft> {
    const {address} = this.#account;
    const [estimate, fees, balance] = await Promise.all([
      this.#node.estimateGas({account: address, ...call}),
      goingFees(this.#node),
      this.#node.getBalance({address}),
    ]);
    // Until it is mined, other transfers may change what it costs.
    const gas = (estimate * 5n) / 4n;
    if (gas > MOST_GAS) throw new TooMuchGas(`a payment costs ${gas} units of gas, and ${MOST_GAS} are allowed`);
    if (gas * fees.maxFeePerGas > balance) throw new OutOfGas('there is no gas for another transaction');
    return {...call, gas, ...fees};
  }

  /** Records a transaction in the ledger before it sends it. */
  async #sendNew(nonce: number, draft: Draft): Promise<Hex> {
    const transaction = await this.#sign(nonce, draft);
    await this.#ledger.addTransaction(await this.signer(), nonce, transaction);
    await this.#broadcast(transaction);
    return transaction;
  }

  async #sign(nonce: number, {to, data, gas, maxFeePerGas, maxPriorityFeePerGas}: Draft): Promise<Hex> {
    const chainId = Number((await this.signer()).network.slice('eip155:'.length));
    const fees = {maxFeePerGas, maxPriorityFeePerGas};
    return this.#account.signTransaction({type: 'eip1559', chainId, nonce, to, data, gas, ...fees});
  }

  /** Where it does not arrive, it is sent again. */
  async #broadcast(serializedTransaction: Hex): Promise<void> {
    try {
      await this.#node.sendRawTransaction({serializedTransaction});
      this.#trouble = '';
    } catch (error) {
      const trouble = errorMessage(error);
      if (HARMLESS.test(trouble) || trouble === this.#trouble) return;
      this.#trouble = trouble;
      this.#onTrouble(`The node does not take a transaction of ${this.#account.address}: ${trouble}`);
    }
  }

  async #minedOf(signed: readonly Hex[]): Promise<TransactionReceipt | undefined> {
    for (const end = performance.now() + RECEIPT_MS; ; await sleep(LOOK_EVERY_MS)) {
      const asked = signed.map(transaction => this.#node.getTransactionReceipt({hash: keccak256(transaction)}));
      const answers = await Promise.allSettled(asked);
      for (const answer of answers) if (answer.status === 'fulfilled') return answer.value;
      const isKnown = answers.every(
        answer => answer.status === 'rejected' && answer.reason instanceof TransactionReceiptNotFoundError,
      );
      if (isKnown && performance.now() > end) return undefined;
    }
  }
}
