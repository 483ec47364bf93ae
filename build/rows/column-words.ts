import type {Field} from '../read/table-schema.ts';
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

/** Title, description and unit by the name of the column. Columns without any of these are absent. */
export type ColumnWords = Readonly<Record<string, Pick<Field, 'title' | 'description' | 'unit'>>>;

/** Title, description and unit of fields, by the names that the columns are sold under. */
export function columnWords(columns: readonly (readonly [name: string, field: Field])[]): ColumnWords {
  const worded = columns.flatMap(([name, {title, description, unit}]) => {
    const words = {
      ...(title !== undefined && {title}),
      ...(description !== undefined && {description}),
      ...(unit !== undefined && {unit}),
    };
    return Object.keys(words).length === 0 ? [] : [[name, words] as const];
  });
  return Object.fromEntries(worded);
}

/** Title, description and unit of one column. The name may be that of a member which every object has, such as `constructor`. */
export function wordsOf(words: ColumnWords, name: string): ColumnWords[string] {
  return (Object.hasOwn(words, name) ? words[name] : undefined) ?? {};
}
