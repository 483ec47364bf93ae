import stringWidth from 'fast-string-width';

/**
 * Lines of aligned columns. Cells may be coloured, and must be printable.
 *
 * @param right the columns (0-based) that are aligned to the right, as numbers are
 */
export function tableLines(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, stringWidth(cell));
  return rows.map(row =>
    row
      .map((cell, column) => {
        const space = ' '.repeat((widths[column] ?? 0) - stringWidth(cell));
        return right.includes(column) ? space + cell : cell + space;
      })
      .join('  ')
      .trimEnd(),
  );
}
