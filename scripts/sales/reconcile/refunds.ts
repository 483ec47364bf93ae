import type {SaleRecord} from '../../../paywall/ledger/sale-record.ts';
import {inLedger, type Finality, type Finding} from './findings.ts';
import type {ChainNode, Receipt} from './node.ts';
import type {PaymentStore} from './payment-store.ts';
import {amountOf, isPaidBack} from './payments.ts';

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
  const isKept = receipt?.status === '0x1' && isPaidBackIn(receipt, refund, sale, store);
  if (isKept) return undefined;
  const isFinal = receipt ? receipt.blockNumber <= final.block : (sale.refundedAt ?? 0) < final.moment;
  const detail = receipt ? 'its transaction does not refund this sale' : 'the transaction does not exist';
  return {...inLedger(sale), kind: 'refund not on the chain', isFinal, transaction: sale.refund, detail};
}

function isPaidBackIn({logs}: Receipt, refund: string, sale: SaleRecord, store: PaymentStore): boolean {
  // An amount that is not a number cannot be refunded.
  const price = /^\d{1,78}$/.test(sale.amount) ? BigInt(sale.amount) : Infinity;
  return logs.some(log => isPaidBack(log, sale) && amountOf(log) >= price && store.refund(refund, log.logIndex));
}
