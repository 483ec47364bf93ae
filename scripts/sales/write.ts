import {once} from 'node:events';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {stringify} from 'csv-stringify';
import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import {errorsForPrograms, faultLines} from '../../shared/error-text.ts';
import type {InputError} from '../../shared/fault.ts';
import type {Terminal} from '../terminal/command.ts';
import {expectedError} from '../terminal/faults.ts';
import type {Period} from './source.ts';
import {netOf, type Line, type Totals, isIncome} from './totals.ts';
import {decimalOf, currencyOf} from './money.ts';

type Out = Terminal['out'];

/** Writes CSV (RFC 4180) with a header and a row for each sale. Cells that a spreadsheet would evaluate are escaped. */
export async function writeCsv(sales: AsyncIterable<SaleRecord>, out: Out): Promise<void> {
  const rows = Readable.from(sales).map(rowOf);
  await pipeline(rows, stringify({header: true, escape_formulas: true, record_delimiter: 'windows'}), async chunks => {
    for await (const chunk of chunks) await write(String(chunk), out);
  });
}

/**
 * Writes one JSON object: the sales as they are read, then the totals, or why the sales cannot be read to the end. Returns the exit code.
 */
export async function writeJson(
  sales: AsyncIterable<SaleRecord>,
  totals: Totals,
  {source, from, to}: Period & {readonly source: string},
  {out, err, line}: Pick<Terminal, 'out' | 'err' | 'line'>,
): Promise<number> {
  const about = JSON.stringify({source, from: timeText(from) || null, to: timeText(to) || null});
  await write(`${about.slice(0, -1)},"sales":[`, out);
  let fault: InputError | undefined;
  try {
    let mark = '';
    for await (const sale of sales) {
      await write(`${mark}\n${JSON.stringify(rowOf(sale))}`, out);
      mark = ',';
    }
  } catch (error) {
    fault = expectedError(error);
    if (!fault) throw error;
    line.end();
    err.write(`${faultLines(fault)}\n`);
  }
  const rest = fault ? errorsForPrograms(fault) : {ok: true, figures: figuresOf(totals)};
  await write(`\n],${JSON.stringify(rest, null, 2).slice(1)}\n`, out);
  return fault ? 1 : 0;
}

/** Waits for the reader, so that unread output does not fill the memory. */
async function write(text: string, out: Out): Promise<void> {
  if (out.write(text) === false) await once(process.stdout, 'drain');
}

/** Returns the totals for JSON. Amounts are decimals in texts. */
function figuresOf(totals: Totals): object {
  const [[, all] = [], ...tables] = totals.tables();
  const byName = tables.map(([dimension, lines]): [string, object] => [
    `by_${dimension}`,
    lines.map(line => ({[dimension]: line.name, ...figureOf(line)})),
  ]);
  return {totals: all?.map(figureOf), not_paid: Object.fromEntries(totals.others), ...Object.fromEntries(byName)};
}

function figureOf(line: Line) {
  const {currency, sales, gross, refunds, refunded} = line;
  return {
    network: currency.network,
    asset: currency.asset,
    currency: currency.symbol ?? '',
    sales,
    gross: decimalOf(gross, currency),
    refunds,
    refunded: decimalOf(refunded, currency),
    net: decimalOf(netOf(line), currency),
  };
}

/** Returns a sale for JSON and CSV, in the order of the columns. Times are RFC 3339 in UTC; an unknown value is an empty text. */
export function rowOf(sale: SaleRecord) {
  const currency = currencyOf(sale);
  return {
    moment: timeText(sale.startedAt),
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
    settled: timeText(sale.settledAt),
    delivered: timeText(sale.deliveredAt),
    refund: sale.refund ?? '',
    refunded: timeText(sale.refundedAt),
    url: sale.url,
    key: sale.key,
  };
}

function timeText(time: number | null = null): string {
  return time === null ? '' : new Date(time).toISOString();
}
