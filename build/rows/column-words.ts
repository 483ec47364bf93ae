import type {Field} from '../read/data-package.ts';
import type {JsonSchema} from '../read/validator.ts';

/**
 * The JSON Schema of a column with its title and description, which takes the place of what the schema says of the form of values. The unit
 * ends the description: JSON Schema has no keyword for it, and strict validators refuse unknown ones.
 */
export function withWords(schema: JsonSchema, {title, description, unit}: Field): JsonSchema {
  const words = [description, ...(unit === undefined ? [] : [`Unit: ${unit}.`])];
  const told = words.filter(word => word !== undefined).join(' ');
  return {...schema, ...(title !== undefined && {title}), ...(told !== '' && {description: told})};
}

/** The same, read from a JSON Schema: title, description and unit, where it has them. */
export function wordsIn({title, description}: JsonSchema): Pick<Field, 'title' | 'description' | 'unit'> {
  const [, said = '', unit] =
    /^(.*?)(?:(?<=^| )Unit: (.+)\.)?$/s.exec(typeof description === 'string' ? description : '') ?? [];
  return {
    ...(typeof title === 'string' && {title}),
    ...(said !== '' && {description: said.trimEnd()}),
    ...(unit !== undefined && {unit}),
  };
}
