import {formatEther, type Address} from 'viem';
import type {OnTrouble} from '../payments/facilitator/facilitator.ts';
import {goingFees} from './fees.ts';
import type {Node} from '../payments/chain/node.ts';

/** Of a transfer of USDC by authorization, in units of gas, with a quarter more, as it is sent. */
const GAS_OF_A_SALE = 110_000n;
/** For how long what a node said counts, in milliseconds. */
const FRESH_MS = 2_000;
const LOW = 100;

/** Whether the settler can pay for settlements; tells once where that is soon over. */
export class Gas {
  readonly #address: Address;
  readonly #node: Node;
  readonly #onTrouble: OnTrouble;
  #left = Number.POSITIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;
  #underWay = 0;
  #isLow = false;

  constructor(address: Address, node: Node, onTrouble: OnTrouble) {
    [this.#address, this.#node, this.#onTrouble] = [address, node, onTrouble];
  }

  /** Counts a settlement for as long as it takes. */
  async during<T>(settling: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await settling();
    } finally {
      this.#underWay -= 1;
    }
  }

  /** Whether there is enough for one more settlement. Rejects where the node does not answer. */
  async isEnough(): Promise<boolean> {
    if (performance.now() - this.#readAt > FRESH_MS) await this.#read();
    return this.#left > this.#underWay;
  }

  async #read(): Promise<void> {
    const [balance, {maxFeePerGas}] = await Promise.all([
      this.#node.getBalance({address: this.#address}),
      goingFees(this.#node),
    ]);
    const price = GAS_OF_A_SALE * maxFeePerGas;
    [this.#left, this.#readAt] = [price === 0n ? Number.POSITIVE_INFINITY : Number(balance / price), performance.now()];
    const isLow = this.#left < LOW;
    if (isLow && !this.#isLow)
      this.#onTrouble(
        `The settler ${this.#address} has ${formatEther(balance)} of the chain's coin for gas, enough for about ${this.#left} settlements: send it more.`,
      );
    this.#isLow = isLow;
  }
}
