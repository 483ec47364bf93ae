import {keccak256, parseTransaction, TransactionReceiptNotFoundError} from 'viem';
import type {Hex, TransactionReceipt} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../ledger/ledger.ts';
import type {Reservation, SignedNonce, Signer} from '../ledger/reservation.ts';
import type {OnTrouble} from '../payments/facilitator/facilitator.ts';
import {sleep} from '../payments/services.ts';
import {errorMessage} from '../../shared/error-message.ts';
import type {Node} from '../../shared/evm/node.ts';
import {currentFees, raised, type Fees} from './fees.ts';
import {CONTRACT_REFUSALS, gweiOf, OutOfGas, PaymentRefused, type Call, type Draft, type Order} from './order.ts';

/** The pause between checks whether a transaction is mined, in milliseconds. */
const POLL_MS = 250;
/** The age at which a transaction is sent again, or replaced if it offers less than the base fee of the next block. In milliseconds. */
export const STALE_MS = 5_000;
/** The age at which the transaction with the lowest nonce is replaced, even if its fees are high enough. In milliseconds. */
export const STUCK_MS = 20_000;
/** How long a node may lack the receipt of a transaction after it counts its nonce, in milliseconds. */
const RECEIPT_MS = 3_000;
/** The maximum gas of one sale. A contract wallet determines the cost of checking its signature, and the settler pays for it. */
const MOST_GAS = 500_000n;
/** The maximum number of waiting transactions of one account. If the node reports a wrong count, filling the gap would cost gas. */
const MOST_WAITING = 1_000;
const EMPTY = {data: '0x', gas: 21_000n} as const;
const HARMLESS = /already known|already imported|nonce too low|underpriced/i;

/** Signs the transactions of one account, records them in the ledger, sends them, and replaces those that are not mined. */
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

  /** Returns the account with the network of the node. */
  async signer(): Promise<Signer> {
    this.#signer ??= {
      network: `eip155:${await this.#node.getChainId()}`,
      address: this.#account.address.toLowerCase(),
    };
    return this.#signer;
  }

  /**
   * Returns the gas for a call. Rejects if the call would fail, and with `PaymentRefused` if it costs too much. The fees are those of the
   * transaction, because a contract can see them.
   */
  async estimate(call: Call, {maxFeePerGas, maxPriorityFeePerGas}: Fees): Promise<bigint> {
    const account = this.#account.address;
    const estimate = await this.#node.estimateGas({account, ...call, maxFeePerGas, maxPriorityFeePerGas});
    // Other transfers may change its cost until it is mined.
    const gas = (estimate * 5n) / 4n;
    if (gas > MOST_GAS) throw new PaymentRefused('transaction_needs_too_much_gas');
    return gas;
  }

  /**
   * Reserves a nonce for a call, signs and sends it. If it rejects before `onSigning` is called, nothing was sent: because the call would
   * fail, node or ledger failed, the account cannot pay (`OutOfGas`), or the payment is refused (`PaymentRefused`).
   *
   * @param reserved the nonce if one is reserved already
   */
  async begin(call: Call, order: Order, reserved?: number): Promise<Reservation> {
    const {address} = this.#account;
    const [draft, from, used] = await Promise.all([
      this.#draftOf(call, order.gas),
      this.#node.getTransactionCount({address, blockTag: 'pending'}),
      this.#node.getTransactionCount({address, blockTag: 'latest'}),
    ]);
    if (from > used + MOST_WAITING)
      throw new Error(`the node says that ${from - used} transactions of the settler wait to be mined`);
    const nonce = await this.#reserve(from, draft, order, reserved);
    order.onSigning();
    return {nonce, sale: order.key, transactions: [await this.#sendNew({nonce, transactions: []}, draft)], age: 0};
  }

  /**
   * Waits until a nonce is used. Returns the receipt, or undefined if another transaction used it. Rejects if it takes longer.
   *
   * @param meanwhile called every few seconds while transactions with lower nonces are not mined
   */
  async wait(
    reservation: Reservation,
    ms: number,
    meanwhile: () => Promise<void>,
  ): Promise<TransactionReceipt | undefined> {
    let {transactions} = reservation;
    const began = performance.now() - reservation.age;
    let staleAt = began + STALE_MS;
    for (const end = performance.now() + ms; performance.now() < end; await sleep(POLL_MS)) {
      const count = await this.count().catch(() => 0);
      if (count > reservation.nonce) return this.#receiptOf(transactions);
      if (performance.now() < staleAt) continue;
      const isStuck = count === reservation.nonce && performance.now() - began > STUCK_MS;
      transactions = await this.resend({...reservation, transactions}, isStuck);
      if (count < reservation.nonce) await meanwhile().catch(() => undefined);
      staleAt = performance.now() + STALE_MS;
    }
    throw new Error(`no transaction with the nonce ${reservation.nonce} is mined`);
  }

  /** Sends the last transaction again, with higher fees if it offers too little or is stuck. Returns all signed transactions. */
  async resend({nonce, transactions}: Reservation, isStuck: boolean): Promise<readonly Hex[]> {
    const last = transactions.at(-1);
    const current = await currentFees(this.#node).catch(() => undefined);
    if (!last || !current) return transactions;
    const {to, data = '0x', gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n} = parseTransaction(last);
    const isLow = maxFeePerGas < current.base;
    const fees = isLow || isStuck ? raised({maxFeePerGas, maxPriorityFeePerGas}, current) : undefined;
    if (!fees || !to) {
      await this.#broadcast(last);
      return transactions;
    }
    return [...transactions, await this.#sendNew({nonce, transactions}, {to, data, gas, ...fees})];
  }

  /**
   * Uses a nonce for an empty transaction to the account itself. Records it if the nonce is reserved. Otherwise the transaction replaces any
   * other that offers less than the base fee, because both of its fees are at least twice as high.
   */
  async fill(nonce: number, isReserved: boolean): Promise<void> {
    const fees = await currentFees(this.#node);
    const draft = {to: this.#account.address, ...EMPTY, ...fees};
    if (isReserved) await this.#sendNew({nonce, transactions: []}, draft);
    else await this.#broadcast(await this.#sign(nonce, {...draft, maxPriorityFeePerGas: fees.maxFeePerGas}));
  }

  /** Returns the number of nonces that are used in blocks, cached for `POLL_MS`. A caller never waits for another caller's request. */
  async count(): Promise<number> {
    if (performance.now() - this.#countedAt < POLL_MS) return this.#count;
    this.#countedAt = performance.now();
    this.#count = await this.#node.getTransactionCount({address: this.#account.address, blockTag: 'latest'});
    return this.#count;
  }

  async #draftOf(call: Call, known: bigint | undefined): Promise<Draft> {
    const {address} = this.#account;
    const [fees, balance] = await Promise.all([currentFees(this.#node), this.#node.getBalance({address})]);
    const gas = known ?? (await this.estimate(call, fees));
    if (gas * fees.maxFeePerGas > balance) throw new OutOfGas('not enough gas for another transaction');
    return {...call, gas, ...fees};
  }

  async #reserve(from: number, draft: Draft, {key, spending}: Order, reserved: number | undefined): Promise<number> {
    const signer = await this.signer();
    const limits = await spending(draft.gas * draft.maxFeePerGas);
    if (!limits) return reserved ?? this.#ledger.reserveNonce(signer, key, from);
    const nonce =
      reserved === undefined
        ? await this.#ledger.reserveContractNonce(signer, key, from, limits)
        : ((await this.#ledger.contractRefusal(signer, key, limits)) ?? reserved);
    if (typeof nonce === 'number') return nonce;
    if (nonce === 'in flight') throw new Error('another payment of this contract wallet is being settled');
    throw new PaymentRefused(CONTRACT_REFUSALS[nonce]);
  }

  /** Records a transaction in the ledger before it sends it. */
  async #sendNew(signed: SignedNonce, draft: Draft): Promise<Hex> {
    const transaction = await this.#sign(signed.nonce, draft);
    const cost = gweiOf(draft.gas * draft.maxFeePerGas);
    await this.#ledger.addTransaction(await this.signer(), signed, transaction, cost);
    await this.#broadcast(transaction);
    return transaction;
  }

  async #sign(nonce: number, {to, data, gas, maxFeePerGas, maxPriorityFeePerGas}: Draft): Promise<Hex> {
    const chainId = Number((await this.signer()).network.slice('eip155:'.length));
    const fees = {maxFeePerGas, maxPriorityFeePerGas};
    return this.#account.signTransaction({type: 'eip1559', chainId, nonce, to, data, gas, ...fees});
  }

  /** A transaction that does not arrive is sent again later. */
  async #broadcast(serializedTransaction: Hex): Promise<void> {
    try {
      await this.#node.sendRawTransaction({serializedTransaction});
      this.#trouble = '';
    } catch (error) {
      const trouble = errorMessage(error);
      if (HARMLESS.test(trouble) || trouble === this.#trouble) return;
      this.#trouble = trouble;
      this.#onTrouble(`The node does not accept a transaction of ${this.#account.address}: ${trouble}`);
    }
  }

  async #receiptOf(transactions: readonly Hex[]): Promise<TransactionReceipt | undefined> {
    for (const end = performance.now() + RECEIPT_MS; ; await sleep(POLL_MS)) {
      const answers = await Promise.allSettled(
        transactions.map(transaction => this.#node.getTransactionReceipt({hash: keccak256(transaction)})),
      );
      for (const answer of answers) if (answer.status === 'fulfilled') return answer.value;
      const areMissing = answers.every(
        answer => answer.status === 'rejected' && answer.reason instanceof TransactionReceiptNotFoundError,
      );
      if (areMissing && performance.now() > end) return undefined;
    }
  }
}
