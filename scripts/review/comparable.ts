import type {JsonSchema} from '../../build/read/validator.ts';

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
