import {dataLike} from './data-like.ts';
import type {CsvRecord} from './records.ts';

/** Returns the first record that may be the header. Above rows of data that is the comment with as many values, such as `#id,name`. */
export function nextHeader(rows: readonly CsvRecord[], width: number | undefined): CsvRecord | undefined {
  const at = rows.findIndex(
    ({cells}) => isFilled(cells) && !isComment(cells[0]) && cells.length === (width ?? cells.length),
  );
  const [above, found] = [rows[at - 1], rows[at]];
  const isNamed = found && above?.cells.length === found.cells.length && isComment(above.cells[0]);
  return isNamed && dataLike(found.cells, rows.slice(at + 1)) ? above : found;
}

/**
 * Returns the first record with a value for each column, if the first line lacks names of several columns, as a title or merged cells of a
 * spreadsheet do. Undefined if that record looks like a row of data.
 */
export function completeHeader(first: readonly string[], rows: readonly CsvRecord[]): CsvRecord | undefined {
  if (first.filter(isBlank).length < 2) return undefined;
  const at = rows.findIndex(({cells}) => cells.length === first.length && !cells.some(isBlank));
  const found = rows[at];
  return found && !dataLike(found.cells, rows.slice(at + 1)) ? found : undefined;
}

function isBlank(cell: string): boolean {
  return cell.trim() === '';
}

/** True if a record has a value that is not blank. */
export function isFilled(cells: readonly string[]): boolean {
  return !cells.every(isBlank);
}

const COMMENT = /^\s*(#|\/\/|--|%)/;

/** True if a text starts with a comment sign: `#`, `//`, `--` or `%`. */
export function isComment(text = ''): boolean {
  return COMMENT.test(text);
}

/** Returns the cells of a record without the comment sign at its start. */
export function uncommented({cells: [first = '', ...others]}: CsvRecord): string[] {
  return [first.replace(COMMENT, ''), ...others];
}
