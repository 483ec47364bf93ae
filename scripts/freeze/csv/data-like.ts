import type {CsvRecord} from './records.ts';

/** Patterns of values that are rarely column names, the most specific first. */
const KINDS: readonly (readonly [words: string, pattern: RegExp])[] = [
  ['an address', /^[a-z][a-z0-9+.-]*:\/\/\S+$/i],
  ['an e-mail address', /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ['an IP address', /^\d{1,3}(\.\d{1,3}){3}(\/\d+)?$|^[0-9a-f]*:[0-9a-f:]*:[0-9a-f:.]*$/i],
  ['a date', /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?$|^\d{1,2}[-/.]\d{1,2}[-/.](\d{2}|\d{4})( .*)?$/],
  ['a time', /^\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[ap]m)?$/i],
  ['a number', /^[-+]?[$€£]? ?(\d{1,3}([.,' \u00a0]\d{3})+|\d*)([.,]?\d+)(e[-+]?\d+)? ?[%$€£]?$/i],
  ['a truth value', /^(true|false)$/i],
  ['an identifier', /^(0x)?[0-9a-f]{32,}(:\d+)?$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^0x[0-9a-f]+$/i],
  ['a host name', /^([a-z0-9_-]+\.)+[a-z]{2,}$/i],
];

/** The most characters of a value with such a pattern. The patterns would take minutes for some longer ones. */
const LONGEST = 1000;

function matches(pattern: RegExp, text: string): boolean {
  return text.length <= LONGEST && pattern.test(text);
}

/**
 * Returns a cell of the first record that has the form of most values in its column, or is one of them, so that the record may be data.
 * Its `words` complete "<cell> is …". Undefined if there is no such cell.
 */
export function dataLike(first: readonly string[], rows: readonly CsvRecord[]) {
  for (const [index, untrimmed] of first.entries()) {
    const cell = untrimmed.trim();
    const values = rows.map(({cells}) => cells[index]?.trim() ?? '').filter(value => value !== '');
    const found = {column: index + 1, cell};
    if (cell !== '' && values.includes(cell)) return {...found, words: 'also a value of this column'};
    const [words, pattern] = KINDS.find(([, pattern]) => matches(pattern, cell)) ?? [];
    if (words === undefined || !pattern) continue;
    const alike = values.filter(value => matches(pattern, value)).length;
    if (values.length === 0) return {...found, words};
    if (alike * 2 >= values.length) return {...found, words: `${words}, like the values below it`};
  }
  return undefined;
}

/** With fewer rows, the common form of their values may be chance. */
const FEW_ROWS = 3;

/**
 * True if the first row below the header is probably another header or its second line: in at least one column its value does not have the
 * common form of the values below it, and in no column it does.
 */
export function isLikeHeader([row, ...others]: readonly CsvRecord[]): boolean {
  if (!row || others.length < FEW_ROWS) return false;
  const columns = row.cells.map((cell, index) => {
    const values = others.map(({cells}) => cells[index]?.trim() ?? '').filter(value => value !== '');
    const [, pattern] =
      KINDS.find(([, pattern]) => values.length >= FEW_ROWS && values.every(value => matches(pattern, value))) ?? [];
    return pattern && {isEmpty: cell.trim() === '', isAlike: matches(pattern, cell.trim())};
  });
  return (
    columns.some(column => column && !column.isAlike && !column.isEmpty) && !columns.some(column => column?.isAlike)
  );
}
