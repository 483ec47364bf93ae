import {printable} from '../../shared/printable.ts';
import pc from '../terminal/colours.ts';
import {tableLines, textTable, type Paint} from '../terminal/table.ts';
import {amountWords, networkName, symbolOf} from './money.ts';
import {DIMENSIONS, type Dimension} from './source.ts';
import {netOf, type Line, type Totals} from './totals.ts';

/** Further lines are only counted. */
const MOST_LINES = 50;
const WIDEST = 60;
const plain: Paint = text => text;

/** Returns the report for the terminal: totals and tables. */
export function tablesOf(totals: Totals): string {
  const dimensions = DIMENSIONS.filter(dimension => totals.keeps(dimension));
  const parts = [
    linesOf('total', totals.totals),
    ...dimensions.map(dimension => linesOf(dimension, totals.by(dimension))),
  ];
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
    () => plain,
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
