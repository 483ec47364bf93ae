import {object, type JsonSchema} from '../../read/validator.ts';
import type {Json} from '../kind.ts';

/** JSON Schema of a number of rows, or of whole hours. */
export const count = {type: 'integer', minimum: 0} as const;

const ratio = {type: 'number', minimum: 0, maximum: 1} as const;

/** JSON Schemas of figures by name: those called ratio are shares, objects hold counts, all others are counts. */
export function figureSchemas(figures: Json): Readonly<Record<string, JsonSchema>> {
  const schemas = Object.entries(figures).map(([name, value]): [string, JsonSchema] => {
    if (typeof value !== 'object' || value === null) return [name, /(^|_)ratio$/.test(name) ? ratio : count];
    return [name, object(Object.fromEntries(Object.keys(value).map(member => [member, count])))];
  });
  return Object.fromEntries(schemas);
}
