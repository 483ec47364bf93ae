import {once} from 'node:events';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {stringify} from 'csv-stringify';
import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import {errorsForPrograms} from '../../shared/error-text.ts';
import type {InputError} from '../../shared/fault.ts';
import {printErrors, type Terminal} from '../terminal/command.ts';
import {expectedError} from '../terminal/faults.ts';
import {rowOf} from './columns.ts';
import {DIMENSIONS, type Period} from './source.ts';
import {netOf, type Line, type Totals} from './totals.ts';
import {decimalOf} from './money.ts';

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
  const momentText = (moment: number | undefined) => (moment === undefined ? null : new Date(moment).toISOString());
  const about = JSON.stringify({source, from: momentText(from), to: momentText(to)});
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
    printErrors(fault, false, {out, err});
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
function figuresOf(totals: Totals) {
  return {
    totals: totals.totals.map(figureOf),
    not_paid: Object.fromEntries(totals.others),
    ...Object.fromEntries(
      DIMENSIONS.filter(dimension => totals.keeps(dimension)).map(dimension => [
        `by_${dimension}`,
        totals.by(dimension).map(line => ({[dimension]: line.name, ...figureOf(line)})),
      ]),
    ),
  };
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
