import {firstOf} from '../../shared/english.ts';
import {NESTED_TYPES, type Field, type FieldType} from '../read/table-schema.ts';
import {repeatedHash} from './database.ts';
import {equalNumbersCheck, numberReasons, missingReasons, textReasons, type Reason} from './number-forms.ts';
import {typeRules} from './field-types.ts';
import {FORMATS} from './formats.ts';
import {NESTED_FAULTS} from './json-functions.ts';
import {hasMarkers} from './relation.ts';
import {MAX_RECORD_BYTES, RECORD_RULE} from '../read/limits.ts';
import {COLUMNS, literal} from './sql.ts';
import type {Measure, Read, RowRule, Table} from './table.ts';

/** A check of every row or, for keys, of all rows together. */
export interface Check extends Pick<RowRule, 'code' | 'field' | 'rule' | 'fix'> {
  readonly measures: readonly Measure<unknown>[];
  holds(read: Read): boolean;
  /** True if `holds` may be false although every row passes, for example if two hashes are equal. `breaches` then decides. */
  readonly isUncertain?: boolean;
  /** SQL of the rows that fail, among rows numbered by `n`: `n`, the `shown` value, and the number of the `first` row with the same key. */
  readonly breaches: (numbered: string) => string;
}

/** Returns the checks of a Table Schema and further row checks. Those of keys come last. */
export function checksOf(table: Table, further: readonly RowRule[]): Check[] {
  const misshapen = FORMATS[table.freeze.format].misshapen?.(table.fields);
  return [
    ...(misshapen
      ? [counted(table, {...misshapen, code: 'FZ107', field: 'row', shown: 'shape', broken: 'misshapen'})]
      : []),
    ...(table.freeze.format === 'parquet' ? [lengthCheck(table)] : []),
    ...table.fields.flatMap((field, index) => fieldChecks(table, field, index)),
    ...further.map(rule => (rule.holds ? {...checkOf(rule), holds: rule.holds} : counted(table, rule))),
    ...keysOf(table).map(columns => keyCheck(table, columns)),
  ];
}

/** A Parquet row is not stored as one record, so the length of its strings is limited instead. */
function lengthCheck(table: Table): Check {
  const isLong = (type: string) => type === 'string' || NESTED_TYPES.includes(type);
  const texts = table.fields.flatMap(({type}, index) =>
    isLong(type) ? [`coalesce(strlen(${COLUMNS.text(index)}), 0)`] : [],
  );
  const broken = `${['0', ...texts].join(' + ')} > ${MAX_RECORD_BYTES}`;
  return counted(table, {code: 'FZ109', field: 'record', shown: 'NULL', broken, rule: RECORD_RULE});
}

function fieldChecks(table: Table, field: Field, index: number): Check[] {
  const {name, type, constraints: {enum: values, pattern} = {}} = field;
  const text = COLUMNS.text(index);
  const never = (broken: string, rule: string, {code = 'FZ102', fix}: Partial<Pick<RowRule, 'code' | 'fix'>> = {}) =>
    counted(table, {code, field: name, shown: text, broken, rule, fix});
  const isTyped = typeRules(field).valid !== undefined || FORMATS[table.freeze.format].wrongKind !== undefined;
  const isClaim = name === 'listed' || name === 'settle_success';
  return [
    ...(isTyped ? typeChecks(table, field, index) : []),
    ...(type === 'number' && field.scale === undefined && table.freeze.format === 'csv'
      ? [equalNumbersCheck(field, index)]
      : []),
    ...(NESTED_TYPES.includes(type)
      ? Object.entries(NESTED_FAULTS).map(([fault, {rule, fix}]) =>
          // For a value of the wrong type, only the type is reported.
          never(
            `${isTyped ? `${COLUMNS.isWrong(index)} IS NOT TRUE AND ` : ''}nested_fault(${text}) = '${fault}'`,
            rule,
            {code: 'FZ101', fix},
          ),
        )
      : []),
    ...presence(table, field, index),
    ...(values ? [oneOf(table, field, index, values)] : []),
    ...(pattern === undefined
      ? []
      : [never(`NOT regexp_full_match(${text}, ${literal(pattern)})`, `does not match ${pattern}`)]),
    // Documents contain rows unchanged, so rows must not claim this (specification, "What the service does", 4).
    ...(isClaim
      ? [never(`lower(${text}) IN ('true', '1')`, 'claims a listing or a settlement, which no document may do')]
      : []),
  ];
}

/** The types, other than numbers, whose columns may contain a word for a missing value. */
const WORDS: Partial<Record<FieldType, string>> = {boolean: 'a boolean', date: 'a date', datetime: 'a time'};

/** The checks of a column's type: one for each reason, all with the same measure, because only a faulty list needs the reasons. */
function typeChecks(table: Table, field: Field, index: number): Check[] {
  const {name, type} = field;
  const [text, isWrong] = [COLUMNS.text(index), COLUMNS.isWrong(index)];
  const {rule} = typeRules(field);
  const whole = counted(table, {code: 'FZ101', field: name, shown: text, broken: isWrong, rule});
  const isNumber = type === 'integer' || type === 'number';
  const words = WORDS[type];
  const isText = type === 'string';
  if (!isNumber && !isText && words === undefined) return [whole];
  const isInKey = table.key.includes(name);
  const column = {field, format: table.freeze.format, isRequired: table.isRequired(name), isInKey};
  const reasons: readonly Reason[] = isText
    ? textReasons(text)
    : words === undefined
      ? numberReasons(column, text, COLUMNS.isWrongKind(index), rule)
      : [...missingReasons(column, text, words), {when: 'true', rule}];
  const number = `CASE ${reasons.map(({when}, at) => `WHEN ${when} THEN ${at}`).join(' ')} END`;
  return reasons.map((reason, at) => {
    const broken = `CASE WHEN ${isWrong} THEN ${number} = ${at} ELSE false END`;
    return {
      ...whole,
      ...checkOf({code: 'FZ101', field: name, shown: text, broken, rule: reason.rule, fix: reason.fix}),
      measures: whole.measures,
    };
  });
}

function checkOf({code, field, rule, fix, shown, broken}: RowRule) {
  const breaches = (numbered: string) =>
    `SELECT n, ${shown} AS shown, NULL AS first FROM (${numbered}) WHERE ${broken}`;
  return {code, field, rule, fix, measures: [], breaches};
}

/** A check that counts the rows that fail. */
export function counted(table: Table, rule: RowRule): Check {
  const count = table.count(rule.broken);
  return {...checkOf(rule), measures: [count], holds: read => read(count) === 0};
}

/**
 * Counts the values of a column, which is cheaper than counting missing values. Also done for optional columns, because DuckDB checks the
 * bytes of a column only if a query reads it.
 */
function presence(table: Table, field: Field, index: number): Check[] {
  const {name} = field;
  const text = COLUMNS.text(index);
  const required = table.isRequired(name);
  const [rows, values] = [table.count(), {sql: `count(${text})`, decode: Number}];
  const check = (shown: string, broken: string, rule: string, fix?: string): Check => ({
    ...checkOf({code: 'FZ102', field: name, shown, broken: required ? broken : 'false', rule, fix}),
    measures: [rows, values],
    holds: read => !required || read(values) === read(rows),
  });
  if (!required || !hasMarkers(table.freeze, field)) return [check(text, `${text} IS NULL`, 'is missing')];
  const raw = COLUMNS.raw(index);
  return [
    check(raw, `${raw} IS NULL`, 'is missing'),
    check(
      raw,
      `${text} IS NULL AND ${raw} IS NOT NULL`,
      'represents a missing value, and this column is required in every row',
      table.key.includes(name)
        ? undefined
        : 'Write a value, or make the column optional with frozen freeze … --new-schema.',
    ),
  ];
}

const SHOWN_CLASSES = 10;
/** The beginning of the message about a value that is not in the `enum` of its column. */
export const NOT_A_CLASS = 'is not one of';

/** Uses the counts by value, which kinds need anyway. */
function oneOf(table: Table, field: Field, index: number, values: readonly (string | number | boolean)[]): Check {
  const rule: RowRule = {
    code: 'FZ102',
    field: field.name,
    shown: COLUMNS.text(index),
    broken: `${COLUMNS.value(index)} NOT IN (${values.map(value => (typeof value === 'string' ? literal(value) : String(value))).join(', ')})`,
    rule: `${NOT_A_CLASS} ${firstOf(values, SHOWN_CLASSES)}`,
  };
  if (field.type !== 'string') return counted(table, rule);
  const counts = table.countBy(field.name);
  return {
    ...checkOf(rule),
    measures: [counts],
    holds: read => [...read(counts).keys()].every(value => values.includes(value)),
  };
}

/** The columns that must not have duplicate values: the primary key's together, and each unique column. */
function keysOf({key, fields}: Table): (readonly string[])[] {
  const unique = fields.filter(field => field.constraints?.unique === true).map(({name}) => [name]);
  return [key, ...unique.filter(([name]) => name !== key.join())].filter(columns => columns.length > 0);
}

function keyCheck(table: Table, columns: readonly string[]): Check {
  const values = columns.map(column => table.value(column)).join(', ');
  const known = columns.map(column => `${table.value(column)} IS NOT NULL`).join(' AND ');
  const shown = columns.map(column => `coalesce(${table.text(column)}, '')`).join(` || ', ' || `);
  const complete = columns.every(column => table.key.includes(column)) ? '' : `FILTER (${values} IS NOT NULL)`;
  const repeated = {sql: repeatedHash(values, complete), decode: (json: unknown) => json === true};
  return {
    code: 'FZ103',
    field: columns.join(', '),
    rule: 'occurs twice',
    measures: [repeated],
    holds: read => !read(repeated),
    isUncertain: true,
    breaches: numbered => `SELECT n, ${shown} AS shown, first FROM (${numbered}) JOIN (
      SELECT ${values}, min(n) AS first FROM (${numbered}) WHERE ${known} GROUP BY ALL HAVING count(*) > 1) USING (${values})
      WHERE n > first`,
  };
}
