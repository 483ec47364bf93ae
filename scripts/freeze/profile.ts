import {refuse} from '../../shared/fault.ts';
import {WEB_ADDRESS_RE2} from '../../build/kinds/rows/named-rows.ts';
import type {Format} from '../../build/read/data-package.ts';
import type {Field, FieldType} from '../../build/read/table-schema.ts';
import type {FrozenList} from '../../build/read/freezes.ts';
import {MAX_COLUMNS, MAX_DIGITS} from '../../build/read/limits.ts';
import type {Database} from '../../build/rows/database.ts';
import {FIELD_TYPES, isHeldByDouble} from '../../build/rows/field-types.ts';
import {FORMATS} from '../../build/rows/formats.ts';
import {parquetFaults} from '../../build/rows/parquet-form.ts';
import {columnText} from '../../build/rows/relation.ts';
import {LOSSY_OR_ID, NUMBER} from '../../build/rows/number-forms.ts';
import {literal} from '../../build/rows/sql.ts';
import {mixtureIn, type Mixture} from './mixed-column.ts';

/** In order of preference: a column of 0 and 1 has integers. */
const TYPES: readonly FieldType[] = ['integer', 'number', 'boolean', 'date', 'datetime', 'object', 'array', 'string'];
/** `2026-04-28 09:12 ET`, with or without seconds and zone. */
const TIMESTAMP = '\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}(:\\d{2})?( [A-Z]{2,5})?';
/** Integers that may exceed the range that a double represents exactly. */
const LONG_INTEGER = '-?[0-9]{16,}';

/** Columns per query. DuckDB takes minutes to plan a query with hundreds of columns. */
const AT_ONCE = 12;
const MOST_SHAPES = 10_000;

/** A list without a schema. */
export interface RawList {
  readonly database: Database;
  readonly freeze: FrozenList;
}

/** A column of the files. Some formats declare its type, and the last freeze may have missing values for it. */
export type Column = Pick<Field, 'name' | 'missingValues'> & Partial<Pick<Field, 'type'>>;

/** Statistics of a column over all rows. */
export interface Profile extends Field {
  /** The common form of all texts, if any: `address`, `timestamps`, or the format of all timestamps with `d` for each digit. */
  readonly form: string | undefined;
  readonly rows: number;
  /** Rows that have a value. */
  readonly values: number;
  /** The approximate number of different values. */
  readonly distinct: number;
  /** Rows whose value is of another type. */
  readonly strays: number;
  /** Length of the longest value, in characters. */
  readonly longest: number;
  readonly mixture: Mixture | undefined;
  /** Texts that make a column of CSV text, although all its values read as numbers: one that loses characters, or two equal numbers. */
  readonly lossy: readonly string[];
}

/** The digits of the numbers in a column; null for a column without numbers. */
interface Digits {
  readonly before: number | null;
  readonly after: number | null;
  /** Fewest digits after the point. */
  readonly leastAfter: number | null;
  readonly hasExponent: boolean | null;
  /** True if a double cannot represent at least one number exactly. */
  readonly isLong: boolean | null;
  /** The first text in order that is a number that would lose characters, such as `007`. */
  readonly lossy: string | null;
  /** True if at least one text is not a number, not even one that would lose characters. */
  readonly isMixed: boolean | null;
}

/** Returns the columns of Parquet, or the members of all JSON rows, those of the first row first. */
export async function columnsOf({database, freeze}: RawList): Promise<Column[]> {
  const from = FORMATS[freeze.format].from(freeze, []);
  if (freeze.format === 'parquet') {
    refuse(await parquetFaults(database, freeze));
    const described = await database.query(`DESCRIBE SELECT * FROM ${from}`);
    return described.map(([name, value]) => {
      const type = TYPES.find(candidate => FIELD_TYPES[candidate].parquet.test(String(value)));
      return {name: String(name), ...(type && {type})};
    });
  }
  const shapes = await database.query(`
    SELECT names FROM (SELECT map_keys(members)[:${MAX_COLUMNS + 1}] AS names, row_number() OVER () AS row FROM ${from})
    GROUP BY names ORDER BY min(row) LIMIT ${MOST_SHAPES}`);
  return [...new Set(shapes.flatMap(([names]) => (names ?? []) as string[]))].map(name => ({name}));
}

/** Profiles all values of all columns. */
export async function profilesOf(list: RawList, columns: readonly Column[]): Promise<Profile[]> {
  const profiles: Profile[] = [];
  for (let at = 0; at < columns.length; at += AT_ONCE) profiles.push(...(await someProfiles(list, columns, at)));
  return profiles;
}

/** Profiles AT_ONCE columns in one pass, starting at one of them. */
async function someProfiles({database, freeze}: RawList, columns: readonly Column[], from: number): Promise<Profile[]> {
  const format = FORMATS[freeze.format];
  const fields = columns.map((column): Field => ({type: 'string', ...column}));
  const some = fields.slice(from, from + AT_ONCE);
  const texts = some.map((field, index) => {
    const isNo = (type: FieldType) => format.wrongKind?.({...field, type}) ?? 'false';
    const kinds = `${isNo('string')} AS s${index}, ${isNo('integer')} AS n${index}, ${isNo('boolean')} AS b${index}`;
    return `${columnText(freeze, field, from + index)} AS t${index}, ${kinds}`;
  });
  const findings = some.map(({type}, index) => {
    const kinds = type === 'string' ? `histogram(${kindOf(index)}) FILTER (t${index} IS NOT NULL)` : 'NULL';
    return `to_json({'rows': count(*), 'values': count(t${index}), 'distinct': approx_count_distinct(t${index}),
      'longest': coalesce(max(length(t${index})), 0), 'kinds': ${kinds}, 'digits': ${digitsOf(`t${index}`)}})`;
  });
  const rows = `(SELECT ${texts.join(', ')} FROM ${format.from(freeze, fields)})`;
  const [cells = []] = await database.query(`SELECT ${findings.join(', ')} FROM ${rows}`);
  const profiles: Profile[] = [];
  for (const [index, field] of some.entries()) {
    const {kinds, digits, ...finding} = JSON.parse(String(cells[index])) as Profile & Found;
    const counts = new Map(Object.entries(kinds ?? {}));
    const declared = finding.values === 0 ? 'string' : columns[from + index]?.type;
    const column = {text: `t${index}`, kind: kindOf(index), rows};
    const mixture = declared === undefined ? await mixtureIn(database, counts, column) : undefined;
    const found = typeOf(counts, format.wrongKind === undefined);
    // In JSON, a text among numbers or booleans is an error. In CSV, it makes the column text.
    const isError = format.wrongKind !== undefined && NO_TEXTS.includes(mixture?.type ?? '');
    const type = declared ?? ((isError && mixture?.type) || found.type);
    const likely = mixture?.type ?? type;
    // With the same number of digits after the point and no exponent, different texts are different numbers.
    const isVaried = digits.hasExponent === true || digits.leastAfter !== digits.after;
    const isCsv = freeze.format === 'csv';
    const doubled = isCsv && likely === 'number' && isVaried ? await doubledNumber(database, column, digits) : [];
    const lossy = digits.lossy === null ? doubled : [digits.lossy];
    const exact = exactType(likely, digits, lossy.length > 0, freeze.format);
    // Every value of CSV is text, so a text column cannot contain values of other types.
    const strays = isCsv && exact.type === 'string' ? 0 : found.strays;
    profiles.push({
      ...field,
      ...finding,
      ...found,
      ...(type === likely ? exact : {type}),
      strays: type === mixture?.type ? mixture.strays : strays,
      // If the column is text even without these texts, they do not matter.
      mixture: exact.type === 'string' ? undefined : mixture,
      lossy: isCsv && exact.type === 'string' && digits.isMixed === false ? lossy : [],
    });
  }
  return profiles;
}

interface Found {
  readonly kinds: Readonly<Record<string, number>> | null;
  readonly digits: Digits;
}

function digitsOf(text: string): string {
  const isNumber = `CASE WHEN ${text} BETWEEN '-' AND ':' THEN regexp_full_match(${text}, ${literal(NUMBER)}) ELSE false END`;
  const findings = {
    before: `max(length(ltrim(split_part(${text}, '.', 1), '-')))`,
    after: `max(length(split_part(${text}, '.', 2)))`,
    leastAfter: `min(length(split_part(${text}, '.', 2)))`,
    hasExponent: `bool_or(contains(lower(${text}), 'e'))`,
    isLong: `bool_or(NOT ${isHeldByDouble(text)})`,
  };
  const members = Object.entries(findings).map(([name, sql]) => `'${name}': ${sql} FILTER (${isNumber})`);
  const isLossy = `CASE WHEN ${text} BETWEEN '+' AND ':' THEN regexp_full_match(${text}, ${literal(LOSSY_OR_ID)}) ELSE false END`;
  const lossy = `min(${text}) FILTER (${isLossy})`;
  const isMixed = `bool_or(NOT (${isNumber}) AND NOT (${isLossy})) FILTER (${text} IS NOT NULL)`;
  return `{${members.join(', ')}, 'lossy': ${lossy}, 'isMixed': ${isMixed}}`;
}

/** Returns two texts of a CSV column that are the same number, such as the versions `1.1` and `1.10`, which would become one value. */
async function doubledNumber(
  database: Database,
  {text, rows}: {readonly text: string; readonly rows: string},
  {hasExponent}: Digits,
): Promise<readonly string[]> {
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
  {before, after, hasExponent, isLong}: Digits,
  isLossy: boolean,
  format: Format,
): Pick<Field, 'type' | 'scale'> {
  const isNumber = type === 'integer' || type === 'number';
  if (format === 'csv' && isNumber && isLossy) return {type: 'string'};
  if (type !== 'number' || isLong !== true) return {type};
  const scale = after ?? 0;
  // Long integers are usually identifiers, not amounts.
  const isDecimal = scale > 0 || format === 'parquet';
  if (isDecimal && hasExponent !== true && (before ?? 0) + scale <= MAX_DIGITS) return {type, scale};
  if (format === 'csv') return {type: 'string'};
  return {type: scale > 0 ? 'number' : 'integer'};
}

/**
 * Returns SQL for the kind of a text: a type, `address`, the format of a timestamp, or `nothing` for an invalid value. DuckDB evaluates
 * CASE lazily, but both sides of AND and OR, so the first character selects what is tried.
 */
function kindOf(index: number): string {
  const [text, noText, noNumber, noBoolean] = [`t${index}`, `s${index}`, `n${index}`, `b${index}`];
  const matches = (pattern: string) => `regexp_full_match(${text}, ${literal(pattern)})`;
  const fits = (type: FieldType) => FIELD_TYPES[type].valid?.(text, `(${FIELD_TYPES[type].value(text)})`) ?? 'true';
  return `CASE
    WHEN starts_with(${text}, 'http') THEN CASE WHEN ${matches(WEB_ADDRESS_RE2)} THEN 'address' ELSE 'string' END
    WHEN ${noText} AND starts_with(${text}, '{') THEN 'object'
    WHEN ${noText} AND starts_with(${text}, '[') THEN 'array'
    WHEN ${text} NOT BETWEEN '-' AND ':' THEN
      CASE WHEN NOT ${noBoolean} AND ${fits('boolean')} THEN 'boolean' WHEN ${noText} THEN 'nothing' ELSE 'string' END
    WHEN NOT ${noNumber} AND ${matches(NUMBER)} THEN
      CASE WHEN ${fits('integer')} THEN 'integer'
        WHEN ${fits('number')} AND NOT ${matches(LONG_INTEGER)} THEN 'number'
        WHEN (${FIELD_TYPES.number.value(text)}) IS NOT NULL THEN 'decimal'
        WHEN ${noText} THEN 'nothing' ELSE 'string' END
    WHEN ${noText} THEN 'nothing'
    WHEN ${fits('date')} THEN 'date'
    WHEN ${fits('datetime')} THEN 'datetime'
    WHEN ${matches(TIMESTAMP)} THEN translate(${text}, '0123456789', 'dddddddddd')
    ELSE 'string' END`;
}

/** The kinds of values that are not text in JSON. */
const NO_TEXTS: readonly string[] = ['integer', 'number', 'decimal', 'boolean', 'object', 'array', 'nothing'];

/**
 * Returns the type that most values have, so that the check of the rows reports the others.
 *
 * @param isText true if every value is a text, as in CSV
 */
function typeOf(kinds: ReadonlyMap<string, number>, isText: boolean): Pick<Profile, 'type' | 'form' | 'strays'> {
  const isOf = (type: FieldType, kind: string) => {
    if (type === 'string') return isText || !NO_TEXTS.includes(kind);
    return type === kind || (type === 'number' && (kind === 'integer' || kind === 'decimal'));
  };
  const rowsOf = (type: FieldType) =>
    [...kinds].reduce((rows, [kind, count]) => rows + (isOf(type, kind) ? count : 0), 0);
  const most = Math.max(...TYPES.map(rowsOf));
  const type = (most > 0 && TYPES.find(candidate => rowsOf(candidate) === most)) || 'string';
  const strays = [...kinds].reduce((rows, [kind, n]) => rows + (kind === 'nothing' || isOf(type, kind) ? 0 : n), 0);
  if (type !== 'string') return {type, strays, form: undefined};
  const [form = 'string', ...others] = kinds.keys();
  const isTimes = [form, ...others].every(kind => kind.startsWith('dddd'));
  if (others.length > 0) return {type, strays, form: isTimes ? 'timestamps' : undefined};
  return {type, strays, form: form === 'address' || isTimes ? form : undefined};
}
