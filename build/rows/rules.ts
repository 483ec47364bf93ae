import type {Field} from '../read/data-package.ts';
import {repeatedHash} from './distinct.ts';
import {FIELD_TYPES} from './field-types.ts';
import {FORMATS} from './formats.ts';
import {literal, literalOf} from './sql.ts';
import type {Measure, Read, RowRule, Table} from './table.ts';

/** What the one scan tells of a rule, asked in the cheapest way. */
interface Outcome {
  readonly measures: readonly Measure<unknown>[];
  /** Whether every row keeps the rule. */
  holds(read: Read): boolean;
}

export interface Check extends Omit<RowRule, 'holds'>, Outcome {}

/** Columns that must hold no value twice. Where two hashes of them are the same, the values themselves tell whether it is kept. */
export interface KeyCheck extends Outcome {
  readonly columns: readonly string[];
}

/** What every row must keep. */
export type Checks = Readonly<{checks: readonly Check[]; keys: readonly KeyCheck[]}>;

/** The checks of a Table Schema, and further rules, against every row. */
export function checksOf(table: Table, further: readonly RowRule[]): Check[] {
  const misshapen = FORMATS[table.freeze.format].misshapen?.(table.fields);
  return [
    ...(misshapen ? [counted(table, {field: 'row', shown: 'shape', broken: 'misshapen', rule: misshapen.rule})] : []),
    ...table.fields.flatMap((field, index) => fieldChecks(table, field, index)),
    ...further.map(rule => (rule.holds ? {...rule, measures: [], holds: rule.holds} : counted(table, rule))),
  ];
}

function fieldChecks(table: Table, field: Field, index: number): Check[] {
  const {name, type, constraints: {enum: values, pattern} = {}} = field;
  const text = `t${index}`;
  const never = (broken: string, rule: string) => counted(table, {field: name, shown: text, broken, rule});
  const isTyped = FIELD_TYPES[type].valid !== undefined || FORMATS[table.freeze.format].wrongKind !== undefined;
  const isClaim = name === 'listed' || name === 'settle_success';
  return [
    ...(isTyped ? [never(`w${index}`, FIELD_TYPES[type].rule)] : []),
    presence(table, name, text),
    ...(values ? [oneOf(table, field, index, values)] : []),
    ...(pattern === undefined
      ? []
      : [never(`NOT regexp_full_match(${text}, ${literal(pattern)})`, `does not match ${pattern}`)]),
    // Documents carry rows as read (specification, "What the service does", 4).
    ...(isClaim ? [never(`lower(${text}) IN ('true', '1')`, 'is a claim that is never made')] : []),
  ];
}

/** A rule whose breaches are counted. */
function counted(table: Table, rule: RowRule): Check {
  const breaches = table.count(rule.broken);
  return {...rule, measures: [breaches], holds: read => read(breaches) === 0};
}

/**
 * Counts the values of a column, which is cheaper than counting those that are missing. It does where some may be missing, too: DuckDB
 * checks the bytes of a column only where a query reads it.
 */
function presence(table: Table, name: string, text: string): Check {
  const required = table.isRequired(name);
  const rule: RowRule = {field: name, shown: text, broken: required ? `${text} IS NULL` : 'false', rule: 'is missing'};
  const [rows, values] = [table.count(), {sql: `count(${text})`, decode: Number}];
  return {...rule, measures: [rows, values], holds: read => !required || read(values) === read(rows)};
}

/** The rows by value tell whether a value is foreign, and kinds ask for them anyway. */
function oneOf(table: Table, field: Field, index: number, values: readonly (string | number | boolean)[]): Check {
  const rule: RowRule = {
    field: field.name,
    shown: `t${index}`,
    broken: `v${index} NOT IN (${values.map(literalOf).join(', ')})`,
    rule: `is not one of ${values.join(', ')}`,
  };
  if (field.type !== 'string') return counted(table, rule);
  const counts = table.countBy(field.name);
  return {...rule, measures: [counts], holds: read => [...read(counts).keys()].every(value => values.includes(value))};
}

/** The keys of a table: its primary key and its unique columns. */
export function keyChecks(table: Table): KeyCheck[] {
  const unique = table.fields.filter(field => field.constraints?.unique === true).map(field => [field.name]);
  const keys = [table.key, ...unique.filter(([name]) => name !== table.key.join())];
  return keys
    .filter(columns => columns.length > 0)
    .map(columns => {
      const values = columns.map(column => table.value(column)).join(', ');
      const complete = columns.every(column => table.key.includes(column)) ? '' : `FILTER (${values} IS NOT NULL)`;
      const repeated = {sql: repeatedHash(values, complete), decode: (json: unknown) => json === true};
      return {columns, measures: [repeated], holds: read => !read(repeated)};
    });
}
