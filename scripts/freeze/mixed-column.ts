import {quoted} from '../../shared/command-line.ts';
import type {FieldType} from '../../build/read/table-schema.ts';
import type {Database} from '../../build/rows/database.ts';
import {MISSING} from '../../build/rows/number-forms.ts';
import {literal} from '../../build/rows/sql.ts';

/** Types whose columns may mark missing values with a text, and the kinds of values that each has. */
const KINDS: Partial<Record<FieldType, readonly string[]>> = {
  integer: ['integer'],
  number: ['integer', 'number', 'decimal'],
  boolean: ['boolean'],
  date: ['date'],
  datetime: ['datetime'],
};
const MOST_TEXTS = 5;

/** The values of a column with one type, except for a few texts that may mark missing values. */
export interface Mixture {
  readonly type: FieldType;
  /** The different texts, sorted by code point. */
  readonly texts: readonly string[];
  /** The number of rows with one of them. */
  readonly strays: number;
}

/**
 * Returns the mixture in a column, or undefined if its values have one type, or several types that `--missing` does not explain.
 *
 * @param kinds the number of values of each kind
 * @param column SQL of its text, of the kind of its text, and of the rows that have both
 */
export async function mixtureIn(
  database: Database,
  kinds: ReadonlyMap<string, number>,
  {text, kind, rows}: {readonly text: string; readonly kind: string; readonly rows: string},
): Promise<Mixture | undefined> {
  const all = [...kinds.values()].reduce((sum, count) => sum + count, 0);
  const sizes = Object.entries(KINDS).map(([type, own]) => {
    return {type: type as FieldType, own, size: own.reduce((sum, one) => sum + (kinds.get(one) ?? 0), 0)};
  });
  const {type, own, size} = sizes.reduce((best, one) => (one.size > best.size ? one : best));
  if (size === 0 || size === all) return undefined;
  const [cells] = await database.query(`
    SELECT approx_top_k(${text}, ${MOST_TEXTS + 1}), coalesce(bool_and(regexp_full_match(${text}, ${literal(MISSING)})), false)
    FROM ${rows} WHERE ${text} IS NOT NULL AND ${kind} NOT IN (${own.map(literal).join(', ')})`);
  const [texts, areMarkers] = cells as [string[], boolean];
  if (texts.length > MOST_TEXTS || !(areMarkers || size * 2 > all)) return undefined;
  return {type, texts: texts.toSorted(), strays: all - size};
}

/** `--missing NA --missing -`. */
export function missingOptions({texts}: Mixture): string {
  return texts.map(text => `--missing ${quoted(text)}`).join(' ');
}
