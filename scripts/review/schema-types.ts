import type {JsonSchema} from '../../build/read/validator.ts';

/** JSON types. `number` means numbers with a fraction, so a schema of type `number` allows both `integer` and `number`. */
const TYPES = ['null', 'boolean', 'object', 'array', 'string', 'integer', 'number'];

/** Returns the types of the values that a schema allows. */
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

/** Keywords that apply only to values of one type. */
const KEYWORDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['null', []],
  ['boolean', []],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']],
  ['string', ['minLength', 'maxLength', 'pattern']],
  ['array', ['items', 'minItems', 'maxItems', 'uniqueItems']],
  ['object', ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties']],
]);

/** Returns the schema with a list of types instead of an `anyOf` with a schema for each type, if it has one. */
export function comparable(schema: JsonSchema): JsonSchema {
  const {anyOf, ...others} = schema;
  if (!Array.isArray(anyOf) || anyOf.length === 1 || 'type' in others) return schema;
  const branches = (anyOf as readonly unknown[]).map(branch => {
    const {type, ...keywords} = {...(branch as JsonSchema | null)};
    return {type, of: type === 'integer' ? 'number' : type, keywords};
  });
  const isOfTypes = branches.every(({of, keywords}) => {
    const known = KEYWORDS.get(of);
    return known && Object.keys(keywords).every(keyword => known.includes(keyword) && !(keyword in others));
  });
  if (!isOfTypes || new Set(branches.map(({of}) => of)).size < branches.length) return schema;
  const keywords = Object.fromEntries(branches.flatMap(branch => Object.entries(branch.keywords)));
  return {...others, ...keywords, type: branches.map(({type}) => type)};
}
