import type {JsonSchema} from '../../build/read/validator.ts';

/** JSON's types; a number is an integer or a fraction, so that `integer` is part of `number`. */
const TYPES = ['null', 'boolean', 'object', 'array', 'string', 'integer', 'fraction'] as const;

export type Type = (typeof TYPES)[number];

/** The types of the values that a schema allows. */
export function typesOf(schema: JsonSchema): ReadonlySet<Type> {
  const declared = typesNamed(schema['type']);
  const values = valuesOf(schema);
  const ofValues = values && new Set(values.map(typeOf));
  return new Set(TYPES.filter(type => declared.has(type) && (ofValues?.has(type) ?? true)));
}

/** The only values that a schema allows, by `const` or `enum`. */
export function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined;
}

/** `integer or null` */
export function typeWords(schema: JsonSchema): string {
  const types = typesOf(schema);
  if (types.size === TYPES.length) return 'anything';
  const number = types.has('integer') && types.has('fraction');
  const names = TYPES.filter(type => types.has(type) && !(number && type === 'fraction'));
  return names.map(type => (type === 'fraction' || (type === 'integer' && number) ? 'number' : type)).join(' or ');
}

function typesNamed(type: unknown): ReadonlySet<Type> {
  if (type === undefined) return new Set(TYPES);
  const names: unknown[] = Array.isArray(type) ? type : [type];
  return new Set(TYPES.filter(one => names.includes(one) || (isNumeric(one) && names.includes('number'))));
}

function isNumeric(type: Type): boolean {
  return type === 'integer' || type === 'fraction';
}

function typeOf(value: unknown): Type {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  return typeof value === 'object' ? 'object' : (typeof value as 'boolean' | 'string');
}
