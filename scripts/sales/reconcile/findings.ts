import type {SaleRecord} from '../../../paywall/ledger/sale-record.ts';
import {isIncome} from '../totals.ts';
import {type Payment, amountOf, isRefund, type Income} from './payments.ts';
import type {ChainNode, Receipt} from './node.ts';

/** A difference. It is an error if the chain is final there. */
export interface Finding {
  /** `docs/sales.md` lists the kinds. */
  readonly kind: string;
  readonly isFinal: boolean;
  /** The transaction on the chain, otherwise the one in the ledger. */
  readonly transaction: string | null;
  readonly payer: string;
  /** Atomic units of the asset. */
  readonly amount: string;
  readonly asset: string;
  readonly detail: string;
  readonly sale?: Pick<SaleRecord, 'key' | 'state' | 'product' | 'url' | 'startedAt' | 'settledAt'>;
}

/** The last final block. */
interface Finality {
  readonly block: number;
  /** In milliseconds since 1970, by the clock of the ledger: slightly before the time of the block. */
  readonly time: number;
}

/** Returns the differences between a sale and the chain, and marks the payment of the sale as sold. */
export function findingsOf(sale: SaleRecord, store: PaymentStore, final: Finality): Finding[] {
  const payments = store.by({
    asset: sale.asset.toLowerCase(),
    payer: sale.payer.toLowerCase(),
    nonce: sale.nonce.toLowerCase(),
  });
  const payment = payments.find(each => store.sell(each));
  if (payment) return differences(sale, payment, final);
  if (!isIncome(sale)) return [];
  const isFinal = (sale.settledAt ?? sale.startedAt) < final.time;
  const finding = {...inLedger(sale), isFinal};
  if (payments[0])
    return [{...finding, kind: 'two sales of one transfer', detail: 'another sale has its authorization'}];
  if (sale.transaction && store.isPaying(sale.transaction.toLowerCase()))
    return [{...finding, kind: 'two sales of one transfer', detail: 'its transaction pays for another authorization'}];
  return [{...finding, kind: 'sale without money', detail: `${sale.state} in the ledger, not paid on the chain`}];
}

/** Returns the difference for a payment without a sale. */
export function unsoldFinding({transaction, payer, payee, amount, asset, block}: Payment, final: Finality): Finding {
  const detail = `to ${payee} in block ${block}`;
  return {kind: 'money without a sale', isFinal: block <= final.block, transaction, payer, amount, asset, detail};
}

/** Returns the members of a difference that come from the ledger. */
function inLedger(sale: SaleRecord) {
  const {key, state, product, url, startedAt, settledAt, transaction, payer, amount, asset} = sale;
  return {transaction, payer, amount, asset, sale: {key, state, product, url, startedAt, settledAt}};
}

function differences(sale: SaleRecord, payment: Payment, final: Finality): Finding[] {
  const {transaction, amount, payee, block} = payment;
  // The purchase is in progress.
  if (sale.state === 'pending' && sale.leasedUntil >= sale.readAt) return [];
  const finding = {...inLedger(sale), transaction, isFinal: block <= final.block};
  const findings: Finding[] = [];
  // `transaction` is empty if only the facilitator confirmed the payment.
  if (isIncome(sale) && sale.transaction && sale.transaction.toLowerCase() !== transaction)
    findings.push({...finding, kind: 'wrong transaction', detail: `the ledger has ${sale.transaction}`});
  if (sale.amount !== amount)
    findings.push({...finding, kind: 'wrong amount', detail: `${amount} arrived, the ledger has ${sale.amount}`});
  if (sale.payTo.toLowerCase() !== payee)
    findings.push({...finding, kind: 'wrong payee', detail: `${payee} was paid, the ledger has ${sale.payTo}`});
  if (!isIncome(sale) && sale.refund === null) {
    const reason = sale.reason === null ? '' : ` (${sale.reason})`;
    findings.push({
      ...finding,
      kind: 'money of a closed sale',
      detail: `${sale.state} in the ledger${reason}, but paid`,
    });
  }
  return findings;
}

const TRANSACTION = /^0x[0-9a-f]{64}$/;

/**
 * Checks the recorded refund of a sale: its transaction must contain a transfer from payee to payer of at least the price, which refunds no
 * other sale. Returns the difference, if any. Rejects with `NodeError`.
 */
export async function refundFinding(
  sale: SaleRecord,
  node: ChainNode,
  store: PaymentStore,
  final: Finality,
): Promise<Finding | undefined> {
  if (sale.refund === null) return undefined;
  const refund = sale.refund.toLowerCase();
  const receipt = TRANSACTION.test(refund) ? await node.receipt(refund) : undefined;
  const isKept = receipt?.status === '0x1' && isRefundIn(receipt, refund, sale, store);
  if (isKept) return undefined;
  const isFinal = receipt ? receipt.blockNumber <= final.block : (sale.refundedAt ?? 0) < final.time;
  const detail = receipt ? 'its transaction does not refund this sale' : 'the transaction does not exist';
  return {...inLedger(sale), kind: 'refund not on the chain', isFinal, transaction: sale.refund, detail};
}

function isRefundIn({logs}: Receipt, refund: string, sale: SaleRecord, store: PaymentStore): boolean {
  // An amount that is not a number cannot be refunded.
  const price = /^\d{1,78}$/.test(sale.amount) ? BigInt(sale.amount) : Infinity;
  return logs.some(log => isRefund(log, sale) && amountOf(log) >= price && store.refund(refund, log.logIndex));
}

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
