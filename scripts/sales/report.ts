import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import {counted} from '../../shared/counted.ts';
import type {Terminal} from '../terminal/command.ts';
import {Totals, netOf, type Line} from './totals.ts';
import {DIMENSIONS, type Dimension, type Period, type SalesSource} from './source.ts';
import {writeCsv, writeJson} from './write.ts';
import {printable} from '../../shared/printable.ts';
import pc from '../terminal/colours.ts';
import {tableLines, textTable} from '../terminal/table.ts';
import {amountWords, networkName, symbolOf} from './money.ts';

interface ReportOptions {
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

/** Further lines are only counted. */
const MOST_LINES = 50;
const WIDEST = 60;

function tablesOf(totals: Totals): string {
  const parts = totals.tables().map(([dimension, lines]) => linesOf(dimension, lines));
  return [...parts, othersOf(totals)]
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n');
}

const HEAD = ['sales', 'gross', 'refunds', 'refunded', 'net', 'in'];

function linesOf(dimension: Dimension | 'total', lines: readonly Line[]): string[] {
  if (lines.length === 0) return dimension === 'total' ? ['Nothing was sold.'] : [];
  // The latest days are the most interesting.
  const shown = dimension === 'day' ? lines.slice(-MOST_LINES) : lines.slice(0, MOST_LINES);
  const names = textTable(
    shown.map(line => [dimension === 'network' ? networkName(line.name) : line.name]),
    () => String,
    WIDEST,
  );
  const rows = shown.map((line, index) => [names[index] ?? '', ...cellsOf(line)]);
  const head = [dimension, ...HEAD].map(text => pc.bold(text));
  const more = lines.length - shown.length;
  return [...tableLines([head, ...rows], [1, 2, 3, 4, 5]), ...(more > 0 ? [`… and ${more} more`] : [])];
}

function cellsOf(line: Line): string[] {
  const {sales, gross, refunds, refunded, currency} = line;
  return [
    String(sales),
    amountWords(gross, currency),
    refunds === 0 ? '' : String(refunds),
    refunds === 0 ? '' : amountWords(refunded, currency),
    pc.green(amountWords(netOf(line), currency)),
    printable(`${symbolOf(currency)}, ${networkName(currency.network)}`),
  ];
}

function othersOf({others}: Totals): string[] {
  const counts = [...others].map(([state, count]) => `${count} ${state}`);
  return counts.length === 0 ? [] : [`Not counted, because no payment is known: ${counts.join(', ')}.`];
}
