import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import {currencyOf, decimalOf} from './money.ts';
import {isIncome} from './totals.ts';

/** Returns a sale for JSON and CSV, in the order of the columns. Times are RFC 3339 in UTC; an unknown value is an empty text. */
export function rowOf(sale: SaleRecord) {
  const currency = currencyOf(sale);
  return {
    moment: momentText(sale.startedAt),
    product: sale.product,
    as_of: sale.asOf,
    digest: sale.sha256,
    price: sale.price,
    /** In whole units of the asset, as a decimal; `atomic_amount` is the same in atomic units. */
    amount: decimalOf(BigInt(sale.amount), currency),
    atomic_amount: sale.amount,
    currency: currency.symbol ?? '',
    asset: sale.asset,
    network: sale.network,
    payer: sale.payer,
    pay_to: sale.payTo,
    transaction: sale.transaction ?? '',
    state: sale.state,
    /** `income`, `refunded`, or empty if no payment is known. */
    counts_as: isIncome(sale) ? (sale.refund === null ? 'income' : 'refunded') : '',
    reason: sale.reason ?? '',
    settled: momentText(sale.settledAt),
    delivered: momentText(sale.deliveredAt),
    refund: sale.refund ?? '',
    refunded: momentText(sale.refundedAt),
    url: sale.url,
    key: sale.key,
  };
}

function momentText(moment: number | null): string {
  return moment === null ? '' : new Date(moment).toISOString();
}
