import type {JsonSchema} from '../../read/validator.ts';
import type {Json} from '../kind.ts';

/** JSON Schema of a number of rows, or of whole hours. */
export const count = {type: 'integer', minimum: 0} as const;

const ratio = {type: 'number', minimum: 0, maximum: 1} as const;

/** JSON Schemas of figures by name: those called ratio are shares, objects hold counts, all others are counts. */
export function figureSchemas(figures: Json): Readonly<Record<string, JsonSchema>> {
  const schemas = Object.entries(figures).map(([name, value]) => {
    if (typeof value === 'object' && value !== null) return [name, closed(countSchemas(Object.keys(value)))] as const;
    return [name, /(^|_)ratio$/.test(name) ? ratio : count] as const;
  });
  return Object.fromEntries(schemas);
}

function countSchemas(names: readonly string[]): Json {
  return Object.fromEntries(names.map(name => [name, count]));
}

/** JSON Schema of an object with exactly these members. */
export function closed(properties: Json): JsonSchema {
  return {type: 'object', additionalProperties: false, required: Object.keys(properties), properties};
}
