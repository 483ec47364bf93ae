import {tableLines} from '../../../scripts/terminal/table.ts';

/** Rows of text as aligned columns: the first to the left, the others, which hold figures, to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const [, ...right] = (rows[0] ?? []).keys();
  return tableLines(rows, right).join('\n');
}
