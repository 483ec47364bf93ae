/**
 * The most bytes of a record: a CSV record including line ends within values, a line of NDJSON, an element of a JSON array. DuckDB reads
 * CSV records of 2 MiB and JSON objects of 16 MiB, and skips some longer ones without an error.
 */
export const MAX_RECORD_BYTES = 1 << 20;

/** The most columns of a list. DuckDB needs seconds to plan a query over hundreds of columns, and minutes for tens of thousands. */
export const MAX_COLUMNS = 250;

/** The most digits of an exact decimal, and the most after its point. */
export const MAX_DIGITS = 38;

/** The deepest nesting of brackets in a JSON array. Rows have two levels in addition to those of their values, events three. */
export const MAX_DEPTH = 64;

/** The deepest nesting of a value in a row. It is below the limits of common programs that read documents. */
export const MAX_NESTED = 16;

/** The most bytes of a file that is parsed as a whole. */
export const MAX_PARSED_BYTES = 64 << 20;

export const RECORD_RULE = 'is longer than 1 MiB, the most that a record may have';
export const TOO_MANY_COLUMNS = {
  code: 'FZ106',
  rule: `columns are more than ${MAX_COLUMNS}, the most that a list may have`,
  fix: 'Freeze a list with fewer columns.',
} as const;
export const DEPTH_RULE = `is nested deeper than ${MAX_DEPTH} levels, the most that JSON may have`;

/** True if a JSON text is nested deeper than `levels`. May be wrong for text that is not JSON. */
export function isNestedDeeper(text: string, levels: number): boolean {
  let [depth, quoted] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted && character === '\\') at += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === '[' || character === '{')) depth += 1;
    else if (!quoted && (character === ']' || character === '}')) depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}
