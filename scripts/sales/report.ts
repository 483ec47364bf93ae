import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import {counted} from '../../shared/counted.ts';
import type {Terminal} from '../terminal/command.ts';
import {Totals} from './totals.ts';
import {DIMENSIONS, type Dimension, type Period, type SalesSource} from './source.ts';
import {tablesOf} from './table.ts';
import {writeCsv, writeJson} from './write.ts';

export interface ReportOptions {
  readonly period: Period;
  readonly by?: Dimension | undefined;
  readonly form: 'tables' | 'csv' | 'json';
}

/** Totals by buyer are computed only on request, because there may be millions of buyers. */
const WITHOUT_BUYERS = DIMENSIONS.filter(dimension => dimension !== 'buyer');

/** Reads all sales of a period as a stream, and prints the report. Returns the exit code. */
export async function report(
  source: SalesSource,
  {period, by, form}: ReportOptions,
  {out, err, line}: Pick<Terminal, 'out' | 'err' | 'line'>,
): Promise<number> {
  const totals = new Totals(by ? [by] : WITHOUT_BUYERS);
  const sales = addedUp(source.sales(period), totals, line);
  if (form === 'json') return writeJson(sales, totals, {source: source.name, ...period}, {out, err, line});
  if (form === 'csv') {
    await writeCsv(sales, out);
  } else {
    while (!(await sales.next()).done);
    line.end();
    out.write(`${tablesOf(totals)}\n`);
  }
  return 0;
}

/** Yields the same sales while adding them to the totals. */
async function* addedUp(
  sales: AsyncIterable<SaleRecord>,
  totals: Totals,
  line: Terminal['line'],
): AsyncGenerator<SaleRecord> {
  let count = 0;
  for await (const sale of sales) {
    totals.add(sale);
    count += 1;
    line.show(() => `${counted(count, 'sale')} read`);
    yield sale;
  }
}
