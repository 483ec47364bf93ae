import {literal} from '../../rows/sql.ts';
import type {Row, RowRule, Table} from '../../rows/table.ts';
import type {Product} from '../kind.ts';

/** A product that shows and sells rows. */
export interface RowProduct extends Product {
  /** How many rows the sample shows. */
  readonly examples: number;
  /** How many rows the paid document holds at most. */
  readonly max_rows: number;
}

export const rowLimits = {
  examples: {type: 'integer', minimum: 0, maximum: 1000, default: 3, description: 'a whole number from 0 to 1000'},
  max_rows: {
    type: 'integer',
    minimum: 1,
    maximum: 500_000,
    default: 10_000,
    description: 'a whole number from 1 to 500000',
  },
} as const;

/** A product whose rows are named, and put in order, by a column: the key, or the primary key where none is given. */
export type NamedRowProduct = RowProduct & {readonly key?: string};

export const namedRows = {key: {type: 'string', description: 'the name of a text column'}, ...rowLimits} as const;

const WEB_ADDRESS = '^https?://\\S+$';

/** The same, of a whole text, in the syntax of RE2, whose `\s` leaves out the spaces of Unicode. */
export const WEB_ADDRESS_RE2 = 'https?://[^\\s\\v\\p{Z}\\x{feff}]+';

/** JSON Schema of an absolute web address, as rows have it: one rule for rows and documents. */
export const webAddress = {type: 'string', pattern: WEB_ADDRESS} as const;

/**
 * Asks for the first rows that a predicate is true of, in the order of the key, and for web addresses in it. Only rows in documents are
 * looked at, because testing every row of a long list would take a third of the time of reading it.
 *
 * @param known what the predicate tells of columns
 */
export function shownRows(product: NamedRowProduct, table: Table, where: string, known?: Row) {
  const key = table.textKey(product);
  const rows = table.first(key, Math.max(product.max_rows, product.examples), where, known);
  const address = {
    field: key,
    shown: table.text(key),
    broken: `${where} AND NOT regexp_full_match(${table.value(key)}, ${literal(WEB_ADDRESS_RE2)})`,
    rule: 'is not an absolute web address',
    holds: read => read(rows).every(row => new RegExp(WEB_ADDRESS, 'u').test(String(row[key]))),
  } satisfies RowRule;
  return {key, rows, rules: [address, ...present(table, key)]};
}

/** What every row must have: a rule only where the schema does not ask for it anyway. */
export function present(table: Table, column: string): RowRule[] {
  if (table.isRequired(column)) return [];
  const text = table.text(column);
  return [{field: column, shown: text, broken: `${text} IS NULL`, rule: 'is missing'}];
}
