import {refuse} from '../../shared/fault.ts';
import {WEB_ADDRESS_RE2} from '../../build/kinds/rows/named-rows.ts';
import type {Field, FieldType} from '../../build/read/table-schema.ts';
import type {FrozenList} from '../../build/read/freezes.ts';
import {MAX_COLUMNS} from '../../build/read/limits.ts';
import type {Database} from '../../build/rows/database.ts';
import {FIELD_TYPES} from '../../build/rows/field-types.ts';
import {FORMATS} from '../../build/rows/formats.ts';
import {parquetFaults} from '../../build/rows/parquet-form.ts';
import {columnText} from '../../build/rows/relation.ts';
import {isHeldByDouble, LOSSY_OR_ID, NUMBER} from '../../build/rows/number-forms.ts';
import {literal} from '../../build/rows/sql.ts';
import {columnType, TYPES, type ColumnType, type Digits} from './column-type.ts';

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
export interface Profile extends ColumnType, Omit<Field, 'type' | 'scale'> {
  readonly rows: number;
  /** Rows that have a value. */
  readonly values: number;
  /** The approximate number of different values. */
  readonly distinct: number;
  /** Length of the longest value, in characters. */
  readonly longest: number;
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
    const declared = finding.values === 0 ? 'string' : columns[from + index]?.type;
    const column = {database, format: freeze.format, text: `t${index}`, kind: kindOf(index), rows};
    const type = await columnType(column, new Map(Object.entries(kinds ?? {})), digits, declared);
    profiles.push({...field, ...finding, ...type});
  }
  return profiles;
}

interface Found {
  readonly kinds: Readonly<Record<string, number>> | null;
  readonly digits: Digits;
}

/** Returns SQL for the `Digits` of a column. */
function digitsOf(text: string): string {
  const isNumber = `CASE WHEN ${text} BETWEEN '-' AND ':' THEN regexp_full_match(${text}, ${literal(NUMBER)}) ELSE false END`;
  const findings = {
    before: `max(length(ltrim(split_part(${text}, '.', 1), '-')))`,
    after: `max(length(split_part(${text}, '.', 2)))`,
    leastAfter: `min(length(split_part(${text}, '.', 2)))`,
    hasExponent: `bool_or(contains(lower(${text}), 'e'))`,
    isLong: `bool_or(NOT ${isHeldByDouble(text)})`,
    isBeyond: `bool_or(CASE WHEN length(${text}) < 16 OR NOT regexp_full_match(${text}, ${literal(LONG_INTEGER)}) THEN false
      ELSE coalesce(TRY_CAST(${text} AS HUGEINT) NOT BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}, true) END)`,
  };
  const members = Object.entries(findings).map(([name, sql]) => `'${name}': ${sql} FILTER (${isNumber})`);
  const isLossy = `CASE WHEN ${text} BETWEEN '+' AND ':' THEN regexp_full_match(${text}, ${literal(LOSSY_OR_ID)}) ELSE false END`;
  const lossy = `min(${text}) FILTER (${isLossy})`;
  const isMixed = `bool_or(NOT (${isNumber}) AND NOT (${isLossy})) FILTER (${text} IS NOT NULL)`;
  return `{${members.join(', ')}, 'lossy': ${lossy}, 'isMixed': ${isMixed}}`;
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
