import {orNull, type JsonSchema} from '../read/validator.ts';
import type {Field} from '../read/data-package.ts';
import {columnWords, withWords, type ColumnWords} from './column-words.ts';
import type {Table} from './table.ts';

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
