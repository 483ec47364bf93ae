import {InputError} from '../../shared/fault.ts';
import {invisibleRule} from '../../shared/printable.ts';
import type {Field, TableSchema} from '../../build/read/table-schema.ts';

/** `area.unit=km²`: a title, description or unit of a column. */
const DESCRIPTION = /^(.+)\.(title|description|unit)=(.*)$/s;

/**
 * Returns the schema with titles, descriptions and units of columns. Throws `InputError` if a text does not match DESCRIPTION or its column
 * does not exist.
 */
export function describedSchema(schema: TableSchema, describe: readonly string[]): TableSchema {
  const fields = describe.reduce<readonly Field[]>((all, text) => {
    const [, column, member = '', words = ''] = DESCRIPTION.exec(text) ?? [];
    const fault = (rule: string, ofUsage = true) =>
      new InputError({code: 'FZ902', field: '--describe', value: text, rule}, {ofUsage});
    if (column === undefined) throw fault('is not COLUMN.title=…, COLUMN.description=… or COLUMN.unit=…');
    const index = all.findIndex(({name}) => name === column);
    const field = all[index];
    if (!field) throw fault(`names no column of the list, which has ${all.map(({name}) => name).join(', ')}`, false);
    if (/\p{Cc}/u.test(words)) throw fault('has control characters: write one line');
    const invisible = invisibleRule(words);
    if (invisible !== undefined) throw fault(invisible);
    const members = Object.entries({...field, [member]: words}).filter(([, value]) => value !== '');
    // The type is safe: only a text member was added or removed.
    return all.with(index, Object.fromEntries(members) as unknown as Field);
  }, schema.fields);
  return {...schema, fields};
}
