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

/** Title, description and unit of columns by their names: of those that have one of them. */
export type ColumnWords = Readonly<Record<string, Pick<Field, 'title' | 'description' | 'unit'>>>;

/** The words of columns, by the names that they are sold under. */
export function columnWords(columns: Iterable<readonly [name: string, field: Field]>): ColumnWords {
  const worded = [...columns].flatMap(([name, {title, description, unit}]) => {
    const words = {
      ...(title !== undefined && {title}),
      ...(description !== undefined && {description}),
      ...(unit !== undefined && {unit}),
    };
    return Object.keys(words).length === 0 ? [] : [[name, words] as const];
  });
  return Object.fromEntries(worded);
}

/** The words of one column, whatever it is called. */
export function wordsOf(words: ColumnWords, name: string): ColumnWords[string] {
  return (Object.hasOwn(words, name) ? words[name] : undefined) ?? {};
}
