import {quoted} from '../../shared/command-line.ts';
import type {Format} from '../../build/read/data-package.ts';
import type {Field, FieldType} from '../../build/read/table-schema.ts';
import {MAX_DIGITS} from '../../build/read/limits.ts';
import type {Database} from '../../build/rows/database.ts';
import {FORMATS} from '../../build/rows/formats.ts';
import {MISSING, NUMBER} from '../../build/rows/number-forms.ts';
import {literal} from '../../build/rows/sql.ts';

/** Types whose columns may mark missing values with a text. */
const MARKED: readonly FieldType[] = ['integer', 'number', 'boolean', 'date', 'datetime'];
/** In order of preference: a column of 0 and 1 has integers. */
export const TYPES: readonly FieldType[] = [...MARKED, 'object', 'array', 'string'];
/** The kinds of values that are not text in JSON. */
const NO_TEXTS: readonly string[] = ['integer', 'number', 'decimal', 'boolean', 'object', 'array', 'nothing'];
const MOST_TEXTS = 5;

/** The type of a column, and the values that do not have it. */
export interface ColumnType extends Pick<Field, 'type' | 'scale'> {
  /** The common form of all texts, if any: `address`, `timestamps`, or the format of all timestamps with `d` for each digit. */
  readonly form: string | undefined;
  /** Rows whose value is of another type. */
  readonly mismatches: number;
  readonly mixture: Mixture | undefined;
  /** The texts that make a CSV column text although all its values are numbers: one that loses characters, or two equal numbers. */
  readonly lossy: readonly string[];
}

/** The values of a column with one type, except for a few texts that may mark missing values. */
interface Mixture {
  readonly type: FieldType;
  /** The different texts, sorted by code point. */
  readonly texts: readonly string[];
  /** The number of rows with one of them. */
  readonly mismatches: number;
}

/** The number of values of each kind. */
type Kinds = ReadonlyMap<string, number>;

/** The digits of the numbers in a column; null for a column without numbers. */
export interface Digits {
  readonly before: number | null;
  readonly after: number | null;
  /** Fewest digits after the point. */
  readonly leastAfter: number | null;
  readonly hasExponent: boolean | null;
  /** True if a double cannot represent at least one number exactly. */
  readonly isLong: boolean | null;
  /** True if at least one is an integer beyond ±(2^53 - 1), even if a double represents it, such as 10^18. */
  readonly isBeyond: boolean | null;
  /** The first text in order that is a number that would lose characters, such as `007`. */
  readonly lossy: string | null;
  /** True if at least one text is not a number, not even one that would lose characters. */
  readonly isMixed: boolean | null;
}

/** A column in the database: SQL of its text, of the kind of its text, and of the rows that have both. */
interface ColumnSql {
  readonly database: Database;
  readonly format: Format;
  readonly text: string;
  readonly kind: string;
  readonly rows: string;
}

/** Returns the type of a column: the declared one, or else the one that most values have, so that the check of the rows reports the others. */
export async function columnType(
  column: ColumnSql,
  kinds: Kinds,
  digits: Digits,
  declared: FieldType | undefined,
): Promise<ColumnType> {
  const {format} = column;
  const isText = FORMATS[format].wrongKind === undefined;
  const found = commonType(TYPES, kinds, isText);
  const mixture = declared === undefined ? await mixtureIn(column, kinds) : undefined;
  // In JSON, a text among numbers or booleans is an error. In CSV, it makes the column text.
  const isError = !isText && NO_TEXTS.includes(mixture?.type ?? '');
  const type = declared ?? ((isError && mixture?.type) || found.type);
  const likely = mixture?.type ?? type;
  // With the same number of digits after the point and no exponent, different texts are different numbers.
  const isVaried = digits.hasExponent === true || digits.leastAfter !== digits.after;
  const doubled = format === 'csv' && likely === 'number' && isVaried ? await doubledNumber(column, digits) : [];
  const lossy = digits.lossy === null ? doubled : [digits.lossy];
  const exact = exactType(likely, digits, lossy.length > 0, format);
  // Every value of CSV is text, so a text column cannot contain values of other types.
  const isCsvText = format === 'csv' && exact.type === 'string';
  const mismatches = type === mixture?.type ? mixture.mismatches : isCsvText ? 0 : found.mismatches;
  return {
    ...(type === likely ? exact : {type}),
    form: found.type === 'string' ? formOf([...kinds.keys()]) : undefined,
    mismatches,
    // If the column is text even without these texts, they do not matter.
    mixture: exact.type === 'string' ? undefined : mixture,
    lossy: isCsvText && digits.isMixed === false ? lossy : [],
  };
}

/** Returns the first of these types that most values have, the number of its values, and that of others. */
function commonType(types: readonly FieldType[], kinds: Kinds, isText: boolean) {
  const rowsOf = (isCounted: (kind: string) => boolean) =>
    [...kinds].reduce((rows, [kind, count]) => rows + (isCounted(kind) ? count : 0), 0);
  const sizes = types.map(type => ({type, size: rowsOf(kind => isOf(type, kind, isText))}));
  const {type, size} = sizes.reduce((best, one) => (one.size > best.size ? one : best), {type: 'string', size: 0});
  return {type, size, mismatches: rowsOf(kind => kind !== 'nothing' && !isOf(type, kind, isText))};
}

function isOf(type: FieldType, kind: string, isText: boolean): boolean {
  if (type === 'string') return isText || !NO_TEXTS.includes(kind);
  return type === kind || (type === 'number' && (kind === 'integer' || kind === 'decimal'));
}

/** The common form of the texts of a column, given their kinds. */
function formOf(kinds: readonly string[]): string | undefined {
  const isTimes = kinds.every(kind => kind.startsWith('dddd'));
  if (kinds.length > 1) return isTimes ? 'timestamps' : undefined;
  return kinds[0] === 'address' || isTimes ? kinds[0] : undefined;
}

/** Returns the mixture in a column, or undefined if its values have one type, or several types that `--missing` does not explain. */
async function mixtureIn({database, text, kind, rows}: ColumnSql, kinds: Kinds): Promise<Mixture | undefined> {
  const all = [...kinds.values()].reduce((sum, count) => sum + count, 0);
  const {type, size} = commonType(MARKED, kinds, false);
  if (size === 0 || size === all) return undefined;
  const own = [...kinds.keys()].filter(kind => isOf(type, kind, false));
  const [cells] = await database.query(`
    SELECT approx_top_k(${text}, ${MOST_TEXTS + 1}), coalesce(bool_and(regexp_full_match(${text}, ${literal(MISSING)})), false)
    FROM ${rows} WHERE ${text} IS NOT NULL AND ${kind} NOT IN (${own.map(literal).join(', ')})`);
  const [texts, areMarkers] = cells as [string[], boolean];
  if (texts.length > MOST_TEXTS || !(areMarkers || size * 2 > all)) return undefined;
  return {type, texts: texts.toSorted(), mismatches: all - size};
}

/** `--missing NA --missing -`. */
export function missingOptions({texts}: Mixture): string {
  return texts.map(text => `--missing ${quoted(text)}`).join(' ');
}

/** Returns two texts of a CSV column that are the same number, such as the versions `1.1` and `1.10`, which would become one value. */
async function doubledNumber({database, text, rows}: ColumnSql, {hasExponent}: Digits): Promise<readonly string[]> {
  // Without an exponent the digits are compared, which are exact for every length.
  const digits = `CASE WHEN contains(${text}, '.') THEN rtrim(rtrim(${text}, '0'), '.') ELSE ${text} END`;
  const number = hasExponent === true ? `TRY_CAST(${text} AS DOUBLE)` : digits;
  const [cells] = await database.query(`
    SELECT min(${text}) AS one, max(${text}) AS other FROM ${rows} WHERE regexp_full_match(${text}, ${literal(NUMBER)})
    GROUP BY ${number} HAVING one <> other ORDER BY one LIMIT 1`);
  return (cells ?? []) as string[];
}

/**
 * Returns the type that keeps all digits: in CSV, numbers that would lose characters become text, and numbers that a double cannot
 * represent become exact decimals if possible.
 */
function exactType(
  type: FieldType,
  {before, after, hasExponent, isLong, isBeyond}: Digits,
  isLossy: boolean,
  format: Format,
): Pick<Field, 'type' | 'scale'> {
  const isNumber = type === 'integer' || type === 'number';
  if (format === 'csv' && isNumber && isLossy) return {type: 'string'};
  const scale = after ?? 0;
  // Such integers are usually identifiers or amounts in small units, of which others would not fit into a double.
  const isExact = isLong === true || (isBeyond === true && scale === 0 && hasExponent !== true);
  if (type !== 'number' || !isExact) return {type};
  // Long integers are usually identifiers, not amounts.
  const isDecimal = scale > 0 || format === 'parquet';
  if (isDecimal && hasExponent !== true && (before ?? 0) + scale <= MAX_DIGITS) return {type, scale};
  if (format === 'csv') return {type: 'string'};
  return {type: scale > 0 ? 'number' : 'integer'};
}
