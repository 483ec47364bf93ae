import {tableLines} from '../../../scripts/terminal/table.ts';

/** Formats rows of text as aligned columns: the first on the left, the others, which contain figures, on the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const [, ...right] = (rows[0] ?? []).keys();
  return tableLines(rows, right).join('\n');
}
