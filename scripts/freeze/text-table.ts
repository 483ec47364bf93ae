import stringWidth from 'fast-string-width';
import {printable} from '../../shared/printable.ts';

const GAP = '  ';
/** No more characters than this are looked at for each column of a terminal. */
const LONGEST = 8;

/** A cell of a table, and how it is coloured once its width is known. */
export type Paint = (text: string) => string;

/** Lines of aligned columns. What could steer a terminal is shown as an escape, and cells wider than `widest` are cut. */
export function textTable(
  rows: readonly (readonly string[])[],
  paint: (row: number, column: number) => Paint,
  widest = Infinity,
): string[] {
  const cells = rows.map(row => row.map(cell => cut(cell, widest)));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map(row => stringWidth(row[column] ?? ''))));
  return cells.map((row, index) =>
    row
      .map((cell, column) => {
        const last = column === row.length - 1;
        const space = last ? '' : ' '.repeat((widths[column] ?? 0) - stringWidth(cell));
        return paint(index, column)(cell) + space;
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** Printable, and no wider than that. Measuring the width of a long text would take minutes. */
function cut(cell: string, widest: number): string {
  const begin = cell.slice(0, LONGEST * widest);
  const text = printable(begin);
  if (begin === cell && stringWidth(text) <= widest) return text;
  let kept = '';
  let width = 0;
  for (const character of text) {
    width += stringWidth(character);
    if (width >= widest) break;
    kept += character;
  }
  return `${kept}…`;
}
