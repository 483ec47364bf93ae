import {object, type JsonSchema} from '../../read/validator.ts';
import type {Json} from '../kind.ts';

/** The quotient as a double; 0 for an empty list (design, `ratio`s of an empty list). */
export function ratioOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Returns the sentences whose value is true. */
export function trueOf(sentences: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(sentences).filter(sentence => sentences[sentence]);
}

/** JSON Schema of a number of rows, or of whole hours. */
export const count = {type: 'integer', minimum: 0} as const;

const ratio = {type: 'number', minimum: 0, maximum: 1} as const;

/**
 * Returns JSON Schemas of figures by name. Figures named `ratio` are shares, objects have a count for each class, all others are counts.
 * Objects allow further classes, so that a class in a later freeze does not change the shape of `v1`.
 */
export function figureSchemas(figures: Json): Readonly<Record<string, JsonSchema>> {
  const schemas = Object.entries(figures).map(([name, value]): [string, JsonSchema] => {
    if (typeof value !== 'object' || value === null) return [name, /(^|_)ratio$/.test(name) ? ratio : count];
    const classes = object(Object.fromEntries(Object.keys(value).map(member => [member, count])));
    return [name, {...classes, additionalProperties: count}];
  });
  return Object.fromEntries(schemas);
}
