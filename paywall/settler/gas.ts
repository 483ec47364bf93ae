import {formatEther, type Address} from 'viem';
import type {ContractSpending} from '../ledger/reservation.ts';
import type {OnTrouble} from '../payments/facilitator/facilitator.ts';
import {LOST_AFTER_MS} from '../payments/limits.ts';
import type {Node} from '../../shared/evm/node.ts';
import {currentFees, type Fees} from './fees.ts';
import {gweiOf} from './order.ts';

/** Units of gas of a USDC transfer by authorization, plus a quarter, as it is sent. */
const GAS_OF_A_SALE = 110_000n;
/** How long the answers of the node are reused, in milliseconds. */
const FRESH_MS = 2_000;
/** The reserve, in sales: with less gas, the publisher is warned, and contract wallets cannot use it. */
const RESERVE = 100;

/** The gas that the settler can pay for. */
export class Gas {
  readonly #address: Address;
  readonly #node: Node;
  readonly #contractPercent: number;
  readonly #onTrouble: OnTrouble;
  #balance = 0n;
  #fees: Fees = {maxFeePerGas: 0n, maxPriorityFeePerGas: 0n};
  /** The number of sales that the balance pays for. */
  #left = Number.POSITIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;
  /** The running settlements. */
  readonly #running = new Set<{readonly since: number}>();
  #isLow = false;

  /** @param contractPercent the percentage of the balance that contract wallets may use within a day */
  constructor(address: Address, node: Node, contractPercent: number, onTrouble: OnTrouble) {
    [this.#address, this.#node, this.#contractPercent, this.#onTrouble] = [address, node, contractPercent, onTrouble];
  }

  /** Counts a settlement while it runs, but not for ever: a Worker that stops a request does not run its `finally`. */
  async during<T>(settling: () => Promise<T>): Promise<T> {
    const settlement = {since: performance.now()};
    this.#running.add(settlement);
    try {
      return await settling();
    } finally {
      this.#running.delete(settlement);
    }
  }

  /** Returns true if there is gas for one more settlement. Rejects if the node does not answer. */
  async isEnough(): Promise<boolean> {
    await this.#refresh();
    return this.#left > this.#underWay();
  }

  /** Returns the limits for a transaction of a contract wallet, which cannot use the reserve. `cost` is in wei. */
  async spendingOf(contract: Address, cost: bigint): Promise<ContractSpending> {
    await this.#refresh();
    const share = this.#left - this.#underWay() < RESERVE ? 0n : (this.#balance * BigInt(this.#contractPercent)) / 100n;
    return {contract: contract.toLowerCase(), cost: gweiOf(cost), budget: gweiOf(share)};
  }

  async fees(): Promise<Fees> {
    await this.#refresh();
    return this.#fees;
  }

  #underWay(): number {
    for (const settlement of this.#running)
      if (performance.now() - settlement.since > LOST_AFTER_MS) this.#running.delete(settlement);
    return this.#running.size;
  }

  async #refresh(): Promise<void> {
    if (performance.now() - this.#readAt <= FRESH_MS) return;
    const [balance, {maxFeePerGas, maxPriorityFeePerGas}] = await Promise.all([
      this.#node.getBalance({address: this.#address}),
      currentFees(this.#node),
    ]);
    [this.#balance, this.#fees] = [balance, {maxFeePerGas, maxPriorityFeePerGas}];
    const price = GAS_OF_A_SALE * maxFeePerGas;
    [this.#left, this.#readAt] = [price === 0n ? Number.POSITIVE_INFINITY : Number(balance / price), performance.now()];
    const isLow = this.#left < RESERVE;
    if (isLow && !this.#isLow)
      this.#onTrouble(
        `The settler ${this.#address} has ${formatEther(balance)} of the chain's coin for gas, enough for about ${this.#left} settlements: send it more.`,
      );
    this.#isLow = isLow;
  }
}
