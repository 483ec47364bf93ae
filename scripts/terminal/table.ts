import truncatedWidth from 'fast-string-truncated-width';
import {printable} from '../../shared/printable.ts';

export type Paint = (text: string) => string;

/** Characters of a cell that are read per terminal column. */
const LONGEST = 8;

/**
 * Returns aligned lines. Cells may be coloured, and must be printable.
 *
 * @param right the columns (from 0) to align right, such as numbers
 */
export function tableLines(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  return rows.map(row =>
    row
      .map((cell, column) => {
        const space = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
        return right.includes(column) ? space + cell : cell + space;
      })
      .join('  ')
      .trimEnd(),
  );
}

/** Returns aligned lines of untrusted texts. Control characters are escaped, and cells wider than `widest` are cut. */
export function textTable(
  rows: readonly (readonly string[])[],
  paint: (row: number, column: number) => Paint,
  widest = Infinity,
): string[] {
  return tableLines(rows.map((row, at) => row.map((cell, column) => paint(at, column)(cut(cell, widest)))));
}

function cut(cell: string, widest: number): string {
  const begin = cell.slice(0, LONGEST * widest);
  const text = printable(begin) + (begin === cell ? '' : '…');
  const found = truncatedWidth(text, {limit: widest, ellipsis: '…', ellipsisWidth: 1});
  return found.ellipsed ? `${text.slice(0, found.index)}…` : text;
}

function widthOf(text: string): number {
  return truncatedWidth(text).width;
}
