import type {Income, Payment} from './payments.ts';

/** The payments on the chain, in the order of the blocks, and which of them belong to a sale. */
export class PaymentStore {
  readonly #byNonce = new Map<string, Payment[]>();
  readonly #transactions = new Set<string>();
  readonly #sold = new Set<Payment>();
  readonly #refunds = new Set<string>();
  /** Transfers to the payees that are not payments. */
  transfers = 0;

  add({payments, transfers}: Income): void {
    this.transfers += transfers;
    for (const payment of payments) {
      const {nonce, transaction} = payment;
      this.#byNonce.set(nonce, [...(this.#byNonce.get(nonce) ?? []), payment]);
      this.#transactions.add(transaction);
    }
  }

  /** Returns the payments of an authorization. There is at most one, unless the token contract is faulty. */
  by({asset, payer, nonce}: Pick<Payment, 'asset' | 'payer' | 'nonce'>): readonly Payment[] {
    return (this.#byNonce.get(nonce) ?? []).filter(payment => payment.payer === payer && payment.asset === asset);
  }

  isPaying(transaction: string): boolean {
    return this.#transactions.has(transaction);
  }

  /** Marks a payment as belonging to a sale. Returns false if it belongs to another sale. */
  sell(payment: Payment): boolean {
    return isAdded(this.#sold, payment);
  }

  /** Marks a transfer as the refund of a sale. Returns false if it refunds another sale. */
  refund(transaction: string, event: number): boolean {
    return isAdded(this.#refunds, `${transaction} ${event}`);
  }

  get all(): Payment[] {
    return [...this.#byNonce.values()].flat();
  }

  /** Returns the payments that belong to no sale. */
  unsold(): Payment[] {
    const rest = this.all.filter(payment => !this.#sold.has(payment));
    return rest.sort((a, b) => a.block - b.block || a.event - b.event);
  }
}

function isAdded<T>(all: Set<T>, one: T): boolean {
  return all.size < all.add(one).size;
}
