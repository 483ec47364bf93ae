import type {DuckDBStructType, DuckDBType} from '@duckdb/node-api';
import {stringifyInfo} from '@discoveryjs/json-ext';
import {MOST_BYTES, type Json} from '../kind.ts';
import {invisibleRule} from '../../../shared/printable.ts';
import {object, orNull, type JsonSchema} from '../../read/validator.ts';
import {shapeError} from './fault.ts';
import type {QueryResult} from './session.ts';
import {MAX_NESTED} from '../../read/limits.ts';
import {date} from '../../rows/field-types.ts';
import {nestedFault, NESTED_FAULTS} from '../../rows/json-functions.ts';

/** The rows of a result as JSON values. */
export interface DocumentRows {
  readonly values: readonly Json[];
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly int64: readonly string[];
}

/** Converts a value that is not NULL to JSON. Throws `InputError` if that is impossible. `place` names the value in errors. */
type Convert = (value: unknown, place: string) => unknown;

/** How a DuckDB type is represented in a document. */
interface JsonType {
  readonly value: Convert;
  /** The JSON Schema of the values that were converted. */
  readonly schema: () => JsonSchema;
}

const DECIMAL = {type: 'string', pattern: '^-?\\d+(\\.\\d+)?$', description: 'an exact decimal'};
const LARGE = {
  anyOf: [{type: 'integer'}, {type: 'string', pattern: '^-?\\d+$'}],
  description: 'an integer; a text of its digits beyond ±(2^53 - 1)',
};
const wholeNumber: Convert = value => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value));
const MOMENT = {type: 'string', description: 'YYYY-MM-DDThh:mm:ss, with a fraction where there is one'};

const TYPES: readonly (readonly [name: RegExp, schema: JsonSchema, value: Convert])[] = [
  [/^JSON$/, {description: 'any JSON value'}, jsonValue],
  [/^BOOLEAN$/, {type: 'boolean'}, Boolean],
  [/^U?(TINYINT|SMALLINT|INTEGER)$/, {type: 'integer'}, Number],
  [/^U?(BIGINT|HUGEINT)$/, LARGE, wholeNumber],
  [/^DECIMAL\([^()]*\)$/, DECIMAL, String],
  [/^(FLOAT|DOUBLE)$/, {type: 'number'}, finite],
  [/^(VARCHAR|UUID|TIME|ENUM\(.*\))$/s, {type: 'string'}, String],
  [/^DATE$/, date, calendar],
  [/^TIMESTAMP(_S|_MS|_NS)?$/, MOMENT, (value, place) => calendar(value, place).replace(' ', 'T')],
];

/** Converts the rows of a result to JSON. Throws `InputError` for values that documents cannot contain. `place` names a row in errors. */
export function documentRows(
  {columns, rows}: QueryResult,
  place: (row: number) => string,
  mostBytes = MOST_BYTES,
): DocumentRows {
  const names = columns.map(({name}) => name);
  const doubled = names.find((name, index) => names.indexOf(name) < index);
  if (doubled !== undefined) throw shapeError(`has two columns called "${doubled}"`);
  for (const name of names) {
    const rule = invisibleRule(name);
    if (rule !== undefined) throw shapeError(`has a column whose name "${name}" ${rule}`);
  }
  if (names.includes('__proto__')) throw shapeError('has a column called "__proto__"');
  const deep = columns.find(({type}) => depthOf(type) > MAX_NESTED);
  if (deep) throw shapeError(`${deep.name} is nested more than ${MAX_NESTED} deep`);
  const types = columns.map(({type}) => type);
  const {properties, valuesOf} = membersType(names, types, '');
  const values = rows.map((row, index) => valuesOf(row, place(index)));
  const {bytes} = stringifyInfo(values);
  if (bytes > mostBytes) throw shapeError(`results in ${bytes} bytes, and hosts accept at most ${mostBytes}`);
  const int64 = columns.filter(({type}) => type.toString() === 'BIGINT').map(({name}) => name);
  return {values, properties: properties(), int64};
}

function depthOf(type: DuckDBType): number {
  const inner = 'valueType' in type ? [type.valueType] : 'entryTypes' in type ? type.entryTypes : [];
  return inner.reduce((most, one) => Math.max(most, 1 + depthOf(one)), 0);
}

/** The members of a row or a struct. `place` is the prefix of their names in errors. */
function membersType(names: readonly string[], types: readonly DuckDBType[], place: string) {
  const members = types.map((type, index) => {
    const name = names[index] ?? '';
    return [name, orNullType(jsonTypeOf(type, place + name))] as const;
  });
  return {
    properties: () => Object.fromEntries(members.map(([name, {schema}]) => [name, schema()])),
    valuesOf: (values: readonly unknown[], at: string) =>
      Object.fromEntries(members.map(([name, {value}], index) => [name, value(values[index], at + name)])),
  };
}

/** The type with NULL. The schema allows null only if one of the values is NULL. */
function orNullType({value, schema}: JsonType): JsonType {
  let hasNull = false;
  return {
    value(found, place) {
      if (found !== null && found !== undefined) return value(found, place);
      hasNull = true;
      return null;
    },
    schema: () => (hasNull ? orNull(schema()) : schema()),
  };
}

function jsonTypeOf(type: DuckDBType, place: string): JsonType {
  const name = type.alias === 'JSON' ? 'JSON' : type.toString();
  if ('valueType' in type && name.endsWith('[]')) return listOf(orNullType(jsonTypeOf(type.valueType, `${place}[]`)));
  if ('entryNames' in type && name.startsWith('STRUCT')) return structOf(type, place);
  if ('keyType' in type && type.keyType.toString() === 'VARCHAR')
    return mapOf(orNullType(jsonTypeOf(type.valueType, `${place}[]`)));
  const [, schema, value] = TYPES.find(([pattern]) => pattern.test(name)) ?? [];
  if (schema && value) return {schema: () => schema, value};
  const rule = `${place} is of type ${name}, which documents do not have`;
  throw shapeError({rule, fix: 'Cast it to another type.'});
}

function listOf(item: JsonType): JsonType {
  return {
    value: (list, place) => (list as readonly unknown[]).map((found, index) => item.value(found, `${place}[${index}]`)),
    schema: () => ({type: 'array', items: item.schema()}),
  };
}

function mapOf(item: JsonType): JsonType {
  type Entries = readonly {readonly key: string; readonly value: unknown}[];
  const value: Convert = (entries, place) =>
    Object.fromEntries(
      (entries as Entries).map(({key, value: found}) => {
        if (key === '__proto__') throw shapeError(`${place} has a key "__proto__"`);
        return [key, item.value(found, `${place}.${key}`)];
      }),
    );
  return {value, schema: () => ({type: 'object', additionalProperties: item.schema()})};
}

function structOf({entryNames: names, entryTypes}: DuckDBStructType, place: string): JsonType {
  const called = names.map(name => `"${name}"`).join(', ');
  if (new Set(['', '__proto__', ...names]).size < names.length + 2)
    throw shapeError(`${place} has members with an empty, repeated or forbidden name: ${called}`);
  const {properties, valuesOf} = membersType(names, entryTypes, `${place}.`);
  return {
    value: (struct, at) =>
      valuesOf(
        names.map(name => (struct as Json)[name]),
        `${at}.`,
      ),
    schema: () => object(properties()),
  };
}

function jsonValue(text: unknown, place: string): unknown {
  const fault = nestedFault(String(text));
  if (fault === undefined) return JSON.parse(String(text));
  const {rule, fix} = NESTED_FAULTS[fault];
  throw shapeError({rule: `${place} ${rule}`, fix});
}

/** A date or timestamp as DuckDB writes it. The year must have four digits. */
function calendar(value: unknown, place: string): string {
  const written = String(value);
  if (/^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2}(\.\d+)?)?$/.test(written)) return written;
  throw shapeError(`${place} is ${written}: documents can contain only the years 0000 to 9999`);
}

function finite(value: unknown, place: string): number {
  // RFC 8785 writes -0 as 0.
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value;
  throw shapeError(`${place} is ${String(value)}: documents can contain only finite numbers`);
}
