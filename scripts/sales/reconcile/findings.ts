import type {State} from '../../../paywall/ledger/sale.ts';
import type {SaleRecord} from '../../../paywall/ledger/sale-record.ts';
import type {PaymentStore, StoredPayment} from './payment-store.ts';
import type {Payment} from './payments.ts';

/** What books and chain can differ in. */
type FindingKind =
  | 'money without a sale'
  | 'sale without money'
  | 'two sales of one transfer'
  | 'wrong amount'
  | 'wrong payee'
  | 'wrong transaction'
  | 'money of a closed sale'
  | 'refund not on the chain';

/** One difference. It is a fault where the chain is final there. */
export interface Finding {
  readonly kind: FindingKind;
  readonly isFinal: boolean;
  /** Of the payment, else as the books have it. */
  readonly transaction: string | null;
  readonly payer: string;
  /** Atomic units of the asset. */
  readonly amount: string;
  readonly asset: string;
  /** In words. */
  readonly detail: string;
  readonly sale?: Pick<SaleRecord, 'key' | 'state' | 'product' | 'url' | 'startedAt' | 'settledAt'>;
}

/** Up to where the chain is final. */
export interface Finality {
  readonly block: number;
  /** In milliseconds since 1970, by the clock of the books: a little earlier than the block. */
  readonly moment: number;
}

/** In the books these have brought money. */
const PAID: readonly State[] = ['settled', 'delivered', 'expired'];

/** What one sale and the chain differ in. Notes which payment is that of the sale. */
export function findingsOf(sale: SaleRecord, store: PaymentStore, final: Finality): Finding[] {
  const payments = store.by({
    asset: sale.asset.toLowerCase(),
    payer: sale.payer.toLowerCase(),
    nonce: sale.nonce.toLowerCase(),
  });
  const payment = payments.find(each => store.sell(each));
  if (payment) return differences(sale, payment, final);
  if (!PAID.includes(sale.state)) return [];
  const isFinal = (sale.settledAt ?? sale.startedAt) < final.moment;
  const finding = {...inBooks(sale), isFinal};
  if (payments[0])
    return [{...finding, kind: 'two sales of one transfer', detail: 'another sale has its authorization'}];
  if (sale.transaction && store.isPaying(sale.transaction.toLowerCase()))
    return [{...finding, kind: 'two sales of one transfer', detail: 'its transaction pays for another authorization'}];
  return [{...finding, kind: 'sale without money', detail: `${sale.state} in the books, not paid on the chain`}];
}

/** A payment that no sale has. */
export function unsoldFinding({transaction, payer, payee, amount, asset, block}: Payment, final: Finality): Finding {
  const detail = `to ${payee} in block ${block}`;
  return {kind: 'money without a sale', isFinal: block <= final.block, transaction, payer, amount, asset, detail};
}

/** What the books say of a sale, for a finding. */
export function inBooks(sale: SaleRecord) {
  const {key, state, product, url, startedAt, settledAt, transaction, payer, amount, asset} = sale;
  return {transaction, payer, amount, asset, sale: {key, state, product, url, startedAt, settledAt}};
}

function differences(sale: SaleRecord, payment: StoredPayment, final: Finality): Finding[] {
  const {transaction, amount, payee, block} = payment;
  // A purchase that is under way.
  if (sale.state === 'pending' && sale.leasedUntil >= sale.readAt) return [];
  const finding = {...inBooks(sale), transaction, isFinal: block <= final.block};
  const findings: Finding[] = [];
  // A transaction is empty where a facilitator's word is all there is.
  if (PAID.includes(sale.state) && sale.transaction && sale.transaction.toLowerCase() !== transaction)
    findings.push({...finding, kind: 'wrong transaction', detail: `the books have ${sale.transaction}`});
  if (sale.amount !== amount)
    findings.push({...finding, kind: 'wrong amount', detail: `${amount} came, the books have ${sale.amount}`});
  if (sale.payTo.toLowerCase() !== payee)
    findings.push({...finding, kind: 'wrong payee', detail: `${payee} was paid, the books have ${sale.payTo}`});
  if (!PAID.includes(sale.state) && sale.refund === null) {
    const reason = sale.reason === null ? '' : ` (${sale.reason})`;
    findings.push({
      ...finding,
      kind: 'money of a closed sale',
      detail: `${sale.state} in the books${reason}, but paid`,
    });
  }
  return findings;
}
