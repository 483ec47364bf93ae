import {InputError} from '../../shared/fault.ts';
import {invisibleRule} from '../../shared/printable.ts';
import type {Field, TableSchema} from '../../build/read/table-schema.ts';

/** `area.unit=km²`: words about a column. */
const DESCRIPTION = /^(.+)\.(title|description|unit)=(.*)$/s;

/** Throws `InputError` where words do not say which of title, description and unit they are, of which column of the schema. */
export function describedSchema(schema: TableSchema, describe: readonly string[]): TableSchema {
  const fields = describe.reduce<readonly Field[]>((all, text) => {
    const [, column, member = '', words = ''] = DESCRIPTION.exec(text) ?? [];
    const fault = (rule: string) => new InputError({file: '--describe', value: text, rule});
    if (column === undefined) throw fault('is not COLUMN.title=…, COLUMN.description=… or COLUMN.unit=…');
    const index = all.findIndex(({name}) => name === column);
    const field = all[index];
    if (!field) throw fault(`is about no column of the list, which has ${all.map(({name}) => name).join(', ')}`);
    if (/\p{Cc}/u.test(words)) throw fault('holds control characters: it is one line');
    const invisible = invisibleRule(words);
    if (invisible !== undefined) throw fault(invisible);
    const members = Object.entries({...field, [member]: words}).filter(([, value]) => value !== '');
    // The same field with one member more or less.
    return all.with(index, Object.fromEntries(members) as unknown as Field);
  }, schema.fields);
  return {...schema, fields};
}
