import type {JsonSchema} from '../read/validator.ts';
import {date} from '../rows/field-types.ts';

/** A value that keeps the schema of a query's column and tells nothing of the real one: empty, zero or false. */
export function placeholder(schema: JsonSchema): unknown {
  const [first] = [schema['anyOf']].flat();
  if (first !== undefined) return placeholder(first as JsonSchema);
  const [type] = [schema['type']].flat();
  if (type === 'object') return placeholders((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return 0;
  if (type !== 'string') return null;
  if (schema['pattern'] === date.pattern) return '0000-01-01';
  return schema['pattern'] === undefined ? '' : '0';
}

/** The same of every member. */
export function placeholders(properties: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, placeholder(schema)]));
}
