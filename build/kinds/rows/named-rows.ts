import {refuse} from '../../../shared/fault.ts';
import type {Format} from '../../../shared/paths.ts';
import {type Field, columnWords, withWords, type ColumnWords} from '../../read/table-schema.ts';
import {orNull, type JsonSchema} from '../../read/validator.ts';
import {literal} from '../../rows/sql.ts';
import type {Row, RowRule, Table} from '../../rows/table.ts';
import type {Json, PartRule, Product, RowGoods} from '../kind.ts';

/** A product that shows and sells rows. */
export interface RowProduct extends Product {
  /** How many rows the sample shows. */
  readonly examples: number;
  /** How many rows the paid document holds at most. */
  readonly max_rows: number;
  /** How all its rows are sold in parts, beside the paid document. */
  readonly parts?: PartRule;
  /** In which formats they are sold, JSON among them. */
  readonly formats: readonly Format[];
}

/** How many rows all parts of a product hold together at most. */
const MOST_ROWS = 500_000;

export const rowLimits = {
  examples: {type: 'integer', minimum: 0, maximum: 1000, default: 3, description: 'a whole number from 0 to 1000'},
  max_rows: {
    type: 'integer',
    minimum: 1,
    maximum: MOST_ROWS,
    default: 10_000,
    description: 'a whole number from 1 to 500000',
  },
  parts: {
    type: ['string', 'integer'],
    minLength: 1,
    minimum: 1,
    maximum: MOST_ROWS,
    description: 'the name of a column, or a whole number from 1 to 500000',
  },
  formats: {
    default: ['json'],
    enum: [['json'], ['json', 'csv'], ['json', 'parquet'], ['json', 'csv', 'parquet'], ['json', 'parquet', 'csv']],
    description: 'a list of "json" and then of "csv", "parquet" or both',
  },
} as const;

/** How many rows a product needs, the first in its order. */
export function rowsNeeded({parts, max_rows, examples}: RowProduct): number {
  return parts === undefined ? Math.max(max_rows, examples) : MOST_ROWS;
}

/** The rows for sale, out of those that were read: at most `max_rows` of them, and the rows of all parts. */
export function rowGoods({parts, formats, max_rows}: RowProduct, rows: readonly Json[], total: number): RowGoods {
  return {
    type: 'rows',
    rows: rows.slice(0, max_rows),
    total,
    formats,
    ...(parts !== undefined && {parts: {by: parts, rows}}),
  };
}

/** A product whose rows are named, and put in order, by a column: the key, or the primary key where none is given. */
export type NamedRowProduct = RowProduct & {readonly key?: string};

export const namedRows = {key: {type: 'string', description: 'the name of a column'}, ...rowLimits} as const;

const WEB_ADDRESS = '^https?://\\S+$';

/** The same, of a whole text, in the syntax of RE2, whose `\s` leaves out the spaces of Unicode. */
export const WEB_ADDRESS_RE2 = 'https?://[^\\s\\v\\p{Z}\\x{feff}]+';

/** JSON Schema of an absolute web address, as rows have it: one rule for rows and documents. */
export const webAddress = {type: 'string', pattern: WEB_ADDRESS} as const;

/**
 * Whether the values of a column are shown as web addresses: its pattern begins as those do, as `frozen freeze` writes it for addresses.
 */
export function isOfAddresses({type, constraints}: Field): boolean {
  return type === 'string' && /^\^?https?\??:/.test(constraints?.pattern ?? '');
}

/** The columns that a product names to be sold, or all. Throws `InputError` for those that the list lacks. */
export function namedColumns(
  {file, columns}: {readonly file: string; readonly columns?: readonly string[]},
  {fields, freeze}: Table,
): readonly string[] {
  const names = fields.map(({name}) => name);
  const rule = `is not a column of ${freeze.descriptor}: ${names.join(', ')}`;
  refuse(
    (columns ?? [])
      .map((value, index) => ({file, field: `columns[${index}]`, value, rule}))
      .filter(({value}) => !names.includes(value)),
  );
  return columns ?? names;
}

/** How matching rows are shown. */
interface Showing {
  /** The column that names rows and puts them in order. */
  readonly key: string;
  /** JSON Schema of its values. */
  readonly shown: JsonSchema;
  /** The value of the column where the predicate leaves but one. */
  readonly known?: Row;
  /** The columns that are sold, the key among them; by default all. */
  readonly columns?: readonly string[];
}

/**
 * Asks for the first rows that a predicate is true of, in the order of the key, and for web addresses in it where it is shown as one. Only
 * rows in documents are looked at, because testing every row of a long list would take a third of the time of reading it.
 */
export function shownRows(product: RowProduct, table: Table, where: string, {key, shown, known, columns}: Showing) {
  const rows = table.first(key, rowsNeeded(product), where, known, columns);
  const address = {
    field: key,
    shown: table.text(key),
    broken: `${where} AND NOT regexp_full_match(${table.value(key)}, ${literal(WEB_ADDRESS_RE2)})`,
    rule: 'is not an absolute web address',
    holds: read => read(rows).every(row => new RegExp(WEB_ADDRESS, 'u').test(String(row[key]))),
  } satisfies RowRule;
  return {rows, rules: [...(shown === webAddress ? [address] : []), ...present(product, table, key)]};
}

/** What every row must have: a rule only where the schema does not ask for it anyway. */
export function present({file}: {readonly file: string}, table: Table, column: string): RowRule[] {
  if (table.isRequired(column)) return [];
  const text = table.text(column);
  return [{field: column, shown: text, broken: `${text} IS NULL`, rule: `is missing, and ${file} needs it`}];
}

/**
 * JSON Schema of one row as read, with all columns or those of some names: a value that is not required may be null, and in JSON its
 * member may be missing.
 */
export function rowSchemaOf(table: Table, names?: readonly string[]): JsonSchema {
  const fields = fieldsOf(table, names);
  const properties = fields.map(field => {
    const schema = table.schemaOf(field);
    return [field.name, withWords(table.isRequired(field.name) ? schema : orNull(schema), field)] as const;
  });
  const required = fields.filter(field => !table.optional.includes(field)).map(({name}) => name);
  return {type: 'object', additionalProperties: false, required, properties: Object.fromEntries(properties)};
}

/** Title, description and unit of all columns, or of those of some names. */
export function columnWordsOf(table: Table, names?: readonly string[]): ColumnWords {
  return columnWords(fieldsOf(table, names).map(field => [field.name, field]));
}

function fieldsOf({fields}: Table, names?: readonly string[]): readonly Field[] {
  return fields.filter(({name}) => names?.includes(name) ?? true);
}
