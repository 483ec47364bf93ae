import type {JsonSchema} from '../../build/read/validator.ts';

/** The schema that allows no value. */
export const NEVER: JsonSchema = {enum: []};

/** True if a schema allows no value. */
export function isNever(schema: JsonSchema): boolean {
  return valuesOf(schema)?.length === 0;
}

/** Returns the schema at a keyword. Without the keyword, everything is allowed. */
export function schemaAt(schema: JsonSchema, keyword: string): JsonSchema {
  return schemaOf(schema[keyword]);
}

/** Returns a schema as an object. `true` and `false` are also schemas. */
export function schemaOf(below: unknown): JsonSchema {
  if (below === false) return NEVER;
  return typeof below === 'object' && below !== null ? (below as JsonSchema) : {};
}

/** JSON types. `number` means numbers with a fraction, so a schema of type `number` allows both `integer` and `number`. */
const TYPES = ['null', 'boolean', 'object', 'array', 'string', 'integer', 'number'];

/** Returns the JSON types that a schema allows. */
export function typesOf(schema: JsonSchema): string[] {
  const named: unknown[] = [schema['type'] ?? TYPES].flat();
  const values = valuesOf(schema);
  const met = new Set(values?.map(typeOf) ?? TYPES);
  return TYPES.filter(
    type => met.has(type) && (named.includes(type) || (type === 'integer' && named.includes('number'))),
  );
}

/** Returns the allowed values according to `const` or `enum`, or undefined. */
export function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined;
}

/** `null or integer`. */
export function typeWords(schema: JsonSchema): string {
  const types = typesOf(schema);
  if (types.length === TYPES.length) return 'anything';
  return types.filter(type => type !== 'integer' || !types.includes('number')).join(' or ');
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
