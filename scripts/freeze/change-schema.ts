import {InputError, refuse} from '../../shared/fault.ts';
import {parsedJson} from '../../shared/parsed-json.ts';
import {isOfType, tableSchemaFaults, type Field, type TableSchema} from '../../build/read/table-schema.ts';
import type {Order} from './order.ts';

/**
 * Returns the schema of the last freeze with the columns and classes that the publisher adds. Throws `InputError` if the schema already has
 * one, or the list does not.
 *
 * @param inferred the schema of all columns of the list, in their order
 */
export function changedSchema(schema: TableSchema, {addColumn, addClass}: Order, inferred: TableSchema): TableSchema {
  const fields = addColumn.reduce<readonly Field[]>(
    (all, name) => withColumn(all, name, inferred.fields),
    schema.fields,
  );
  const changed = addClass.reduce<readonly Field[]>((all, text) => withClass(all, text), fields);
  refuse(
    tableSchemaFaults({...schema, fields: changed}, (_, value, rule) => ({
      code: 'FZ902',
      field: '--add-class',
      value,
      rule,
    })),
  );
  return {...schema, fields: changed};
}

/** Returns the fields with a new column after the column that precedes it in the list. */
function withColumn(fields: readonly Field[], name: string, inLine: readonly Field[]): readonly Field[] {
  const fault = (rule: string) => new InputError({code: 'FZ902', field: '--add-column', value: name, rule});
  if (fields.some(field => field.name === name)) throw fault('is already a column of the last freeze');
  const place = inLine.findIndex(field => field.name === name);
  const field = inLine[place];
  if (!field) throw fault(`is not a column of the list, which has ${inLine.map(one => one.name).join(', ')}`);
  const before = inLine.slice(0, place).map(one => one.name);
  const index = fields.findLastIndex(one => before.includes(one.name)) + 1;
  return fields.toSpliced(index, 0, field);
}

/** Returns the fields with a class, `gone` or `state=gone`, added to the end of the enum of its column. */
function withClass(fields: readonly Field[], text: string): readonly Field[] {
  const fault = (rule: string, fix?: string) =>
    new InputError({code: 'FZ902', field: '--add-class', value: text, rule, fix});
  const columns = fields.filter(field => field.constraints?.enum !== undefined);
  const called = columns.find(({name}) => text.startsWith(`${name}=`));
  const column = called ?? (columns.length === 1 ? columns[0] : columns.find(({name}) => name === 'class'));
  if (!column) {
    const names = columns.map(({name}) => `${name}=${text}`).join(' or ');
    throw names === ''
      ? fault('cannot be added, because no column of the last freeze has an enum')
      : fault('does not name its column', `Write ${names}.`);
  }
  const value = called ? text.slice(called.name.length + 1) : text;
  const [classes, constraints] = [column.constraints?.enum ?? [], column.constraints];
  const added = ['integer', 'number', 'boolean'].includes(column.type) ? parsedJson(value) : value;
  if (!isOfType(column.type, added)) throw fault(`is not of the column's type, ${column.type}`);
  if (classes.includes(added)) throw fault(`is already a class of ${column.name}`);
  return fields.map(field =>
    field === column ? {...field, constraints: {...constraints, enum: [...classes, added]}} : field,
  );
}
