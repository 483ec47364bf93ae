import truncatedWidth from 'fast-string-truncated-width';
import {printable} from '../../shared/printable.ts';

/** How a cell of a table is coloured. */
export type Paint = (text: string) => string;

/** No more characters than this are looked at for each column of a terminal. */
const LONGEST = 8;

/** Lines of aligned columns. What could steer a terminal is shown as an escape, and cells wider than `widest` are cut. */
export function textTable(
  rows: readonly (readonly string[])[],
  paint: (row: number, column: number) => Paint,
  widest = Infinity,
): string[] {
  const cells = rows.map(row => row.map(cell => cut(cell, widest)));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map(row => row[column]?.width ?? 0)));
  return cells.map((row, index) =>
    row
      .map(({text, width}, column) => paint(index, column)(text) + ' '.repeat((widths[column] ?? width) - width))
      .join('  ')
      .trimEnd(),
  );
}

function cut(cell: string, widest: number): {readonly text: string; readonly width: number} {
  const begin = cell.slice(0, LONGEST * widest);
  const text = printable(begin) + (begin === cell ? '' : '…');
  const found = truncatedWidth(text, {limit: widest, ellipsis: '…', ellipsisWidth: 1});
  return found.ellipsed ? {text: `${text.slice(0, found.index)}…`, width: found.width + 1} : {text, width: found.width};
}
