import {allNow} from '../../../shared/fault.ts';
import type {Format} from '../../../shared/paths.ts';
import {type Field, columnWords, withWords, type ColumnWords} from '../../read/table-schema.ts';
import {orNull, type JsonSchema} from '../../read/validator.ts';
import {typeRules} from '../../rows/field-types.ts';
import {literal} from '../../rows/sql.ts';
import type {RowRule, Table} from '../../rows/table.ts';
import type {Json, PartRule, Product, PaidRows} from '../kind.ts';

/** A product that shows and sells rows. */
export interface RowProduct extends Product {
  readonly examples: number;
  readonly max_rows: number;
  readonly parts?: PartRule;
  /** The formats in which rows are sold, including JSON. */
  readonly formats: readonly Format[];
}

/** The most rows of all parts of a product together. */
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

/** Returns the number of rows that a product reads. */
export function rowsNeeded({parts, max_rows, examples}: RowProduct): number {
  return parts === undefined ? Math.max(max_rows, examples) : MOST_ROWS;
}

/** Returns the payload from the rows that were read: at most `max_rows` of them, and the rows of all parts. */
export function paidRows({parts, formats, max_rows}: RowProduct, rows: readonly Json[], total: number): PaidRows {
  return {
    type: 'rows',
    rows: rows.slice(0, max_rows),
    total,
    formats,
    ...(parts !== undefined && {parts: {by: parts, rows}}),
  };
}

/** A product whose rows are identified and sorted by a column: `key`, or else the primary key. */
export type NamedRowProduct = RowProduct & {readonly key?: string};

export const namedRows = {key: {type: 'string', description: 'the name of a column'}, ...rowLimits} as const;

const WEB_ADDRESS = '^https?://\\S+$';

/** `WEB_ADDRESS` in RE2 syntax, for a whole string. RE2's `\s` does not include Unicode spaces. */
export const WEB_ADDRESS_RE2 = 'https?://[^\\s\\v\\p{Z}\\x{feff}]+';

/** JSON Schema of an absolute web URL in rows and documents. */
export const webAddress = {type: 'string', pattern: WEB_ADDRESS} as const;

/** True if the values of a column are shown as web URLs. The pattern that `frozen freeze` writes for URLs starts like this. */
export function isOfAddresses({type, constraints}: Field): boolean {
  return type === 'string' && /^\^?https?\??:/.test(constraints?.pattern ?? '');
}

/** Returns the columns that a product sells, or all. Throws `InputError` for columns that the table lacks. */
export function namedColumns(
  {file, columns}: {readonly file: string; readonly columns?: readonly string[]},
  table: Table,
): readonly string[] {
  allNow(...(columns ?? []).map((name, index) => () => table.column(name, {file, member: `columns[${index}]`})));
  return columns ?? table.fields.map(({name}) => name);
}

interface DisplayOptions {
  /** The column that identifies and sorts rows. */
  readonly key: string;
  /** JSON Schema of its values. */
  readonly shown: JsonSchema;
  /** The columns that are sold, including the key. All by default. */
  readonly columns?: readonly string[];
}

/**
 * Returns a measure of the first matching rows, in the order of the key, and row checks for web URLs in it. Only the rows in documents are
 * checked, because testing every row of a long list would take a third of its reading time.
 */
export function shownRows(product: RowProduct, table: Table, where: string, {key, shown, columns}: DisplayOptions) {
  const rows = table.first(key, rowsNeeded(product), where, columns);
  const address = {
    field: key,
    code: 'FZ102',
    shown: table.text(key),
    broken: `${where} AND NOT regexp_full_match(${table.value(key)}, ${literal(WEB_ADDRESS_RE2)})`,
    rule: 'is not an absolute web address',
    holds: read => read(rows).every(row => new RegExp(WEB_ADDRESS, 'u').test(String(row[key]))),
  } satisfies RowRule;
  return {rows, rules: [...(shown === webAddress ? [address] : []), ...present(product, table, key)]};
}

/** Requires a value in every row, unless the schema already does. */
export function present({file}: {readonly file: string}, table: Table, column: string): RowRule[] {
  if (table.isRequired(column)) return [];
  const text = table.text(column);
  return [
    {
      code: 'FZ102' as const,
      field: column,
      shown: text,
      broken: `${text} IS NULL`,
      rule: `is missing, and ${file} needs it`,
    },
  ];
}

/** JSON Schema of one row. A value that is not required may be null, and in JSON sources its member may be missing. */
export function rowSchemaOf(table: Table, names?: readonly string[]): JsonSchema {
  const fields = fieldsOf(table, names);
  const properties = fields.map(field => {
    const {schema} = typeRules(field);
    return [field.name, withWords(table.isRequired(field.name) ? schema : orNull(schema), field)] as const;
  });
  const required = fields.filter(field => !table.optional.includes(field)).map(({name}) => name);
  return {type: 'object', additionalProperties: false, required, properties: Object.fromEntries(properties)};
}

/** Title, description and unit of all columns or the named ones. */
export function columnWordsOf(table: Table, names?: readonly string[]): ColumnWords {
  return columnWords(fieldsOf(table, names).map(field => [field.name, field]));
}

function fieldsOf({fields}: Table, names?: readonly string[]): readonly Field[] {
  return fields.filter(({name}) => names?.includes(name) ?? true);
}
