import type {Field} from '../read/table-schema.ts';
import {type JsonSchema, orNull} from '../read/validator.ts';
import type {Table} from './table.ts';

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

/**
 * JSON Schema of one row as read, with all columns or those of some names: a value that is not required may be null, and in JSON its
 * member may be missing.
 */
export function rowSchemaOf(table: Table, names?: readonly string[]): JsonSchema {
  const fields = fieldsOf(table, names);
  const properties = fields.map(field => {
    const schema = table.schemaOf(field);
    return [field.name, withWords(table.isRequired(field.name) ? schema : orNull(schema), field)] as const;
  });
  const required = fields.filter(field => !table.optional.includes(field)).map(({name}) => name);
  return {type: 'object', additionalProperties: false, required, properties: Object.fromEntries(properties)};
}

/** Title, description and unit of all columns, or of those of some names. */
export function columnWordsOf(table: Table, names?: readonly string[]): ColumnWords {
  return columnWords(fieldsOf(table, names).map(field => [field.name, field]));
}

function fieldsOf({fields}: Table, names?: readonly string[]): readonly Field[] {
  return fields.filter(({name}) => names?.includes(name) ?? true);
}
