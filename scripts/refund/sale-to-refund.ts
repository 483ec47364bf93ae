import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import {InputError} from '../../shared/fault.ts';
import type {RefundLedger} from '../sales/source.ts';
import {isIncome} from '../sales/totals.ts';

const TRANSACTION = /^0x[0-9a-f]{64}$/i;

/** Finds a sale by its transaction or its key. Throws `InputError` if it does not exist or cannot be refunded. */
export async function saleToRefund(named: string, ledger: RefundLedger): Promise<SaleRecord> {
  const sale = await saleNamed(named, ledger);
  if (sale.refund !== null) {
    const when = sale.refundedAt === null ? '' : ` (noted ${new Date(sale.refundedAt).toISOString()})`;
    throw refused(named, `was paid back by ${sale.refund}${when}`);
  }
  if (isIncome(sale)) return sale;
  const isOpen = sale.state === 'pending' || sale.state === 'indeterminate';
  const unpaid = `was not paid: it is ${sale.state}${sale.reason ? `, ${sale.reason}` : ''}`;
  throw refused(named, isOpen ? `is ${sale.state}: whether it was paid is not known yet` : unpaid);
}

async function saleNamed(named: string, ledger: RefundLedger): Promise<SaleRecord> {
  if (!TRANSACTION.test(named)) {
    const sale = await ledger.withKey(named.toLowerCase());
    if (sale) return sale;
    throw refused(named, 'is not a sale: expected the transaction that paid for a sale, or the key of a sale');
  }
  const [sale, ...others] = await ledger.paidBy(named.toLowerCase());
  if (!sale) throw refused(named, 'paid for no sale in this ledger');
  if (others.length === 0) return sale;
  const keys = [sale, ...others].map(({key}) => key).join(', ');
  throw refused(named, `has paid for ${others.length + 1} sales, so name one by its key: ${keys}`);
}

function refused(named: string, rule: string): InputError {
  return new InputError({code: 'FZ510', subject: named, rule});
}
