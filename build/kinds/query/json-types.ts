import type {DuckDBStructType, DuckDBType} from '@duckdb/node-api';
import {stringifyInfo} from '@discoveryjs/json-ext';
import {MOST_BYTES, type Json} from '../kind.ts';
import {object, type JsonSchema} from '../../read/validator.ts';
import {QueryFault} from './fault.ts';
import type {QueryResult} from './session.ts';

/** The rows of a result as documents hold them. */
export interface DocumentRows {
  readonly values: readonly Json[];
  readonly properties: Readonly<Record<string, JsonSchema>>;
}

/** The value in the document of one that is not NULL. Throws `QueryFault` for what a document cannot hold; `place` names it. */
type Convert = (value: unknown, place: string) => unknown;

/** How values of a DuckDB type stand in a document, and the JSON Schema that says so. */
interface JsonType {
  readonly schema: JsonSchema;
  readonly value: Convert;
}

const DECIMAL = {type: 'string', pattern: '^-?\\d+(\\.\\d+)?$', description: 'an exact decimal'};
const LARGE = {
  type: ['integer', 'string'],
  pattern: '^-?\\d+$',
  description: 'an integer; a text of its digits beyond ±(2^53 - 1)',
};
const MOMENT = {type: 'string', description: 'YYYY-MM-DDThh:mm:ss, with a fraction where there is one'};

const TYPES: readonly (readonly [name: RegExp, schema: JsonSchema, value: Convert])[] = [
  [/^BOOLEAN$/, {type: 'boolean'}, Boolean],
  [/^U?(TINYINT|SMALLINT|INTEGER)$/, {type: 'integer'}, Number],
  [/^U?(BIGINT|HUGEINT)$/, LARGE, value => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value))],
  [/^DECIMAL\([^()]*\)$/, DECIMAL, String],
  [/^(FLOAT|DOUBLE)$/, {type: 'number'}, finite],
  [/^(VARCHAR|UUID|TIME|ENUM\(.*\))$/s, {type: 'string'}, String],
  [/^DATE$/, {type: 'string', format: 'date'}, calendar],
  [/^TIMESTAMP(_S|_MS|_NS)?$/, MOMENT, (value, place) => calendar(value, place).replace(' ', 'T')],
];

/** Programs that read documents set limits of their own; these are below them. */
const MOST_NESTED = 16;

/** Throws `QueryFault` for what documents do not hold; `place` names a row. */
export function documentRows({columns, rows}: QueryResult, place: (row: number) => string): DocumentRows {
  const names = columns.map(({name}) => name);
  const doubled = names.find((name, index) => names.indexOf(name) < index);
  if (doubled !== undefined) throw new QueryFault(`has two columns called "${doubled}"`);
  if (names.includes('__proto__')) throw new QueryFault('has a column called "__proto__"');
  const deep = columns.find(({type}) => depthOf(type) > MOST_NESTED);
  if (deep) throw new QueryFault(`${deep.name} is nested more than ${MOST_NESTED} deep`);
  const types = columns.map(({type}) => type);
  const {properties, valuesOf} = membersOf(names, types, '');
  const values = rows.map((row, index) => valuesOf(row, place(index)));
  const {bytes} = stringifyInfo(values);
  if (bytes > MOST_BYTES) throw new QueryFault(`gives ${bytes} bytes, and hosts take documents of ${MOST_BYTES}`);
  return {values, properties};
}

function depthOf(type: DuckDBType): number {
  const inner = 'valueType' in type ? [type.valueType] : 'entryTypes' in type ? type.entryTypes : [];
  return inner.reduce((most, one) => Math.max(most, 1 + depthOf(one)), 0);
}

/** The members of a row or a struct; `place` is what precedes their names. */
function membersOf(names: readonly string[], types: readonly DuckDBType[], place: string) {
  const members = types.map((type, index) => {
    const name = names[index] ?? '';
    return [name, jsonTypeOf(type, place + name)] as const;
  });
  return {
    properties: Object.fromEntries(members.map(([name, {schema}]) => [name, schema])),
    valuesOf: (values: readonly unknown[], at: string) =>
      Object.fromEntries(members.map(([name, type], index) => [name, valueOf(type, values[index], at + name)])),
  };
}

function valueOf({value}: JsonType, found: unknown, place: string): unknown {
  if (found !== null && found !== undefined) return value(found, place);
  throw new QueryFault(`${place} is NULL: use coalesce, or leave the row out`);
}

/** Throws `QueryFault` for a type that documents do not have. */
function jsonTypeOf(type: DuckDBType, place: string): JsonType {
  const name = type.toString();
  if ('valueType' in type && name.endsWith('[]')) return listOf(jsonTypeOf(type.valueType, `${place}[]`));
  if ('entryNames' in type && name.startsWith('STRUCT')) return structOf(type, place);
  const [, schema, value] = TYPES.find(([pattern]) => pattern.test(name)) ?? [];
  if (schema && value) return {schema, value};
  throw new QueryFault(`${place} is of type ${name}, which documents do not have: cast it`);
}

function listOf(item: JsonType): JsonType {
  const value: Convert = (list, place) =>
    (list as readonly unknown[]).map((found, index) => valueOf(item, found, `${place}[${index}]`));
  return {schema: {type: 'array', items: item.schema}, value};
}

function structOf({entryNames: names, entryTypes}: DuckDBStructType, place: string): JsonType {
  const called = names.map(name => `"${name}"`).join(', ');
  if (new Set(['', '__proto__', ...names]).size < names.length + 2)
    throw new QueryFault(`${place} has members without names of their own: ${called}`);
  const {properties, valuesOf} = membersOf(names, entryTypes, `${place}.`);
  const inOrder = (struct: Json) => names.map(name => struct[name]);
  return {schema: object(properties), value: (struct, at) => valuesOf(inOrder(struct as Json), `${at}.`)};
}

/** A day or a moment as DuckDB writes it, in the years that have four digits. */
function calendar(value: unknown, place: string): string {
  const written = String(value);
  if (/^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2}(\.\d+)?)?$/.test(written)) return written;
  throw new QueryFault(`${place} is ${written}: documents hold the years 0000 to 9999 only`);
}

function finite(value: unknown, place: string): number {
  // JSON knows no zero below zero.
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value;
  throw new QueryFault(`${place} is ${String(value)}: documents hold finite numbers only`);
}
