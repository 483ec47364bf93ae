import {literal} from '../../rows/sql.ts';
import type {Measure, Row, RowRule, Table} from '../../rows/table.ts';

/** Members of a product that shows and sells rows. */
export interface RowLimits {
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

/** Members of a product whose rows are named, and put in order, by a column. */
export interface NamedRows extends RowLimits {
  /** The column, where it is not the primary key. */
  readonly key?: string;
}

export const namedRows = {
  key: {type: 'string', description: 'the name of a text column'},
  ...rowLimits,
} as const;

const WEB_ADDRESS = '^https?://\\S+$';

/** The same, of a whole text, in the syntax of RE2, whose `\s` leaves out the spaces of Unicode. */
export const WEB_ADDRESS_RE2 = 'https?://[^\\s\\v\\p{Z}\\x{feff}]+';

/** JSON Schema of an absolute web address, as rows have it: one rule for rows and documents. */
export const webAddress = {type: 'string', pattern: WEB_ADDRESS} as const;

/** What every row must have: a rule only where the schema does not ask for it anyway. */
export function present(table: Table, column: string): RowRule[] {
  if (table.isRequired(column)) return [];
  const text = table.text(column);
  return [{field: column, shown: text, broken: `${text} IS NULL`, rule: 'is missing'}];
}

/**
 * The rows that documents show must have an absolute web address in this column. Only those are looked at: testing every row of a
 * long list would take a third of the time of reading it.
 */
export function webAddresses(table: Table, column: string, shown: Measure<readonly Row[]>, where: string): RowRule {
  const value = table.value(column);
  return {
    field: column,
    shown: table.text(column),
    broken: `${where} AND NOT regexp_full_match(${value}, ${literal(WEB_ADDRESS_RE2)})`,
    rule: 'is not an absolute web address',
    holds: read => read(shown).every(row => isWebAddress(row[column])),
  };
}

function isWebAddress(value: unknown): boolean {
  return typeof value === 'string' && new RegExp(WEB_ADDRESS, 'u').test(value);
}
