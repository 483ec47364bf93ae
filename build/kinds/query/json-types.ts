import type {DuckDBStructType, DuckDBType} from '@duckdb/node-api';
import type {JsonSchema} from '../../read/validator.ts';
import {QueryFault} from './fault.ts';

/** How values of a DuckDB type stand in a document, and the JSON Schema that says so. */
export interface JsonType {
  readonly schema: JsonSchema;
  /** The value in the document. Throws `QueryFault` for what a document cannot hold; `place` names it. */
  value(value: unknown, place: string): unknown;
}

const text: JsonType = {schema: {type: 'string'}, value: present(String)};
const date: JsonType = {schema: {type: 'string', format: 'date'}, value: present(calendar)};
const moment: JsonType = {
  schema: {type: 'string', description: 'YYYY-MM-DDThh:mm:ss, with a fraction where there is one'},
  value: present((value, place) => calendar(value, place).replace(' ', 'T')),
};
const boolean: JsonType = {schema: {type: 'boolean'}, value: present(Boolean)};
const small: JsonType = {schema: {type: 'integer'}, value: present(Number)};
const decimal: JsonType = {
  schema: {type: 'string', pattern: '^-?\\d+(\\.\\d+)?$', description: 'an exact decimal'},
  value: present(String),
};
const large: JsonType = {
  schema: {
    type: ['integer', 'string'],
    pattern: '^-?\\d+$',
    description: 'an integer; a text of its digits beyond ±(2^53 - 1)',
  },
  value: present(value => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value))),
};
const double: JsonType = {schema: {type: 'number'}, value: present(finite)};

const TYPES: readonly (readonly [name: RegExp, form: JsonType])[] = [
  [/^BOOLEAN$/, boolean],
  [/^U?(TINYINT|SMALLINT|INTEGER)$/, small],
  [/^U?(BIGINT|HUGEINT)$/, large],
  [/^DECIMAL\([^()]*\)$/, decimal],
  [/^(FLOAT|DOUBLE)$/, double],
  [/^(VARCHAR|UUID|TIME|ENUM\(.*\))$/s, text],
  [/^DATE$/, date],
  [/^TIMESTAMP(_S|_MS|_NS)?$/, moment],
];

/** The form of a column's type. Throws `QueryFault` for a type that documents do not have. */
export function jsonTypeOf(type: DuckDBType, place: string): JsonType {
  const name = type.toString();
  if ('valueType' in type && name.endsWith('[]')) return listOf(jsonTypeOf(type.valueType, `${place}[]`));
  if ('entryNames' in type && name.startsWith('STRUCT')) return structOf(type, place);
  const [, found] = TYPES.find(([pattern]) => pattern.test(name)) ?? [];
  if (!found) throw new QueryFault(`${place} is of type ${name}, which documents do not have: cast it`);
  return found;
}

function listOf(item: JsonType): JsonType {
  return {
    schema: {type: 'array', items: item.schema},
    value: present((value, place) =>
      (value as readonly unknown[]).map((one, index) => item.value(one, `${place}[${index}]`)),
    ),
  };
}

function structOf({entryNames, entryTypes}: DuckDBStructType, place: string): JsonType {
  if (new Set(['', '__proto__', ...entryNames]).size < entryNames.length + 2)
    throw new QueryFault(
      `${place} has members without names of their own: ${entryNames.map(name => `"${name}"`).join(', ')}`,
    );
  const members = entryTypes.map((type, index) => {
    const name = entryNames[index] ?? '';
    return [name, jsonTypeOf(type, `${place}.${name}`)] as const;
  });
  return {
    schema: {
      type: 'object',
      additionalProperties: false,
      required: [...entryNames],
      properties: Object.fromEntries(members.map(([name, type]) => [name, type.schema])),
    },
    value: present((value, at) => {
      const struct = value as Readonly<Record<string, unknown>>;
      return Object.fromEntries(members.map(([name, type]) => [name, type.value(struct[name], `${at}.${name}`)]));
    }),
  };
}

function present(convert: (value: unknown, place: string) => unknown): JsonType['value'] {
  return (value, place) => {
    if (value === null || value === undefined)
      throw new QueryFault(`${place} is NULL: use coalesce, or leave the row out`);
    return convert(value, place);
  };
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
