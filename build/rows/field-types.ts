import type {Field, FieldType} from '../read/table-schema.ts';
import {MAX_DIGITS} from '../read/limits.ts';
import type {JsonSchema} from '../read/validator.ts';
import {INTEGER, isHeldByDouble, NUMBER} from './number-forms.ts';

/** How a Table Schema type is checked and converted, as SQL of a value's text. */
interface TypeRules {
  /** The value; NULL if the text is not of this type. */
  readonly value: (text: string) => string;
  /** A predicate that is true if the text is of this type. Undefined if every text is. */
  readonly valid?: (text: string, value: string) => string;
  /** Completes "<field> <value> …". */
  readonly rule: string;
  /** Physical Parquet types, by their DuckDB names. */
  readonly parquet: RegExp;
  /** JSON Schema of the values that are not missing. */
  readonly schema: JsonSchema;
}

const TEXT_DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
/** DuckDB accepts 24:00:00 as the next day, and every zone. */
const TEXT_TIME = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]+)?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])?';
const matches = (text: string, pattern: string) => `regexp_full_match(${text}, '${pattern}')`;

const NUMBER_PARQUET = /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\))$/;

/** JSON Schema of a date. The build checks that it exists in the calendar. */
export const date = {type: 'string', pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$'} as const;

/** The text is matched before it is cast, because DuckDB's casts are lenient: they accept `0x10` and `1_000`. */
export const FIELD_TYPES: Readonly<Record<FieldType, TypeRules>> = {
  string: {value: text => text, rule: 'is not a text', parquet: /^VARCHAR$/, schema: {type: 'string'}},
  integer: {
    value: text => `TRY_CAST(${text} AS BIGINT)`,
    valid: (text, value) =>
      `${matches(text, INTEGER)} AND ${value} BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`,
    rule: 'is not an integer',
    parquet: /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER)$/,
    schema: {type: 'integer'},
  },
  number: {
    // JSON has only finite numbers.
    value: text => `CASE WHEN isfinite(TRY_CAST(${text} AS DOUBLE)) THEN TRY_CAST(${text} AS DOUBLE) END`,
    valid: (text, value) => `${matches(text, NUMBER)} AND ${value} IS NOT NULL AND ${isHeldByDouble(text)}`,
    rule: 'is not a number',
    parquet: NUMBER_PARQUET,
    schema: {type: 'number'},
  },
  boolean: {
    value: text => `(${text} IN ('true', 'True', 'TRUE', '1'))`,
    valid: text => `${text} IN ('true', 'True', 'TRUE', '1', 'false', 'False', 'FALSE', '0')`,
    rule: 'is not a boolean: true or false',
    parquet: /^BOOLEAN$/,
    schema: {type: 'boolean'},
  },
  date: {
    value: text => text,
    valid: text => `${matches(text, TEXT_DATE)} AND TRY_CAST(${text} AS DATE) IS NOT NULL`,
    rule: 'is not a date that exists, YYYY-MM-DD',
    parquet: /^DATE$/,
    schema: date,
  },
  datetime: {
    value: text => text,
    valid: text => `${matches(text, `${TEXT_DATE}T${TEXT_TIME}`)} AND TRY_CAST(${text} AS TIMESTAMPTZ) IS NOT NULL`,
    rule: 'is not an existing time, YYYY-MM-DDThh:mm:ss',
    parquet: /^TIMESTAMP[^[]*$/,
    schema: {type: 'string'},
  },
  object: nested('object', /^(STRUCT|MAP)\(.*\)$/s),
  array: nested('array', /\[\d*\]$/),
};

/** All objects and arrays are JSON in DuckDB, so that the same SQL reads every freeze. */
function nested(type: 'object' | 'array', parquet: RegExp): TypeRules {
  return {
    value: text => `TRY_CAST(${text} AS JSON)`,
    valid: (_, value) => `json_type(${value}) = '${type.toUpperCase()}'`,
    rule: `is not an ${type}`,
    parquet,
    schema: {type},
  };
}

/** Returns how the values of a field are checked and converted. */
export function typeRules({type, scale}: Field): TypeRules {
  return scale === undefined ? FIELD_TYPES[type] : decimal(scale);
}

/** A number that is DECIMAL in DuckDB and a string in documents. Its digits are read in a twentieth of the time of DuckDB's cast. */
function decimal(scale: number): TypeRules {
  const before = MAX_DIGITS - scale;
  const digits = (text: string) => {
    const part = (n: number) => `split_part(${text}, '.', ${n})`;
    return `${part(1)} || rpad(left(${part(2)}, ${scale}), ${scale}, '0')`;
  };
  const whole = (text: string) => `TRY_CAST(TRY_CAST(${digits(text)} AS HUGEINT) AS DECIMAL(${MAX_DIGITS}, 0))`;
  const unit = `CAST('${(10 ** -scale).toFixed(scale)}' AS DECIMAL(${MAX_DIGITS}, ${scale}))`;
  return {
    value: text =>
      `CASE WHEN ${matches(text, `[+-]?[0-9]+([.][0-9]{0,${scale}}0*)?`)} THEN ${whole(text)} * ${unit} END`,
    valid: (_, value) => `${value} IS NOT NULL`,
    rule: `is not a decimal of at most ${before} digits before its point and ${scale} after it`,
    parquet: NUMBER_PARQUET,
    schema: {
      type: 'string',
      pattern: scale === 0 ? '^-?\\d+$' : `^-?\\d+\\.\\d{${scale}}$`,
      description: 'an exact decimal',
    },
  };
}
