import {type Fault, InputError, refuse, wrongUsage} from '../../shared/fault.ts';
import type {TableSchema, Field} from '../../build/read/table-schema.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import {changedSchema} from './change-schema.ts';
import {columnFaults} from './column-changes.ts';
import type {Inferred} from './infer-schema.ts';
import {keptChoices} from './kept-choices.ts';
import type {Order} from './order.ts';
import type {RawList} from './profile.ts';
import {invisibleRule} from '../../shared/printable.ts';

/** Infers a schema with a key: its columns, an empty list for no key, or undefined to choose one. */
type Infer = (key: readonly string[] | undefined) => Promise<Inferred>;

/**
 * Returns the schema of a list: the last freeze's with the publisher's additions, or an inferred one with the choices of the last.
 * Undefined for a list of events. Throws `InputError` if an option does not match the list.
 *
 * @param names the columns of the list
 * @param place of these names, for messages
 */
export async function schemaOf(
  order: Order,
  list: RawList,
  names: readonly string[],
  place: Pick<Fault, 'file' | 'line'>,
  last: Freeze | undefined,
  infer: Infer,
): Promise<Inferred | undefined> {
  const kept = order.newSchema ? undefined : last;
  const isEvents = kept ? !kept.schema : list.freeze.format === 'json' && names.toSorted().join() === 'payload,type';
  if (isEvents) {
    const [option] = rowOptionsOf(order);
    if (option === undefined) return undefined;
    throw new InputError({code: 'FZ901', field: option, rule: 'is for rows: this is a list of events'});
  }
  const found = kept?.schema
    ? await keptSchema(order, list, kept.schema, names, place, infer)
    : await inferAgain(order, list, last?.schema, names, infer);
  return {...found, schema: describedSchema(found.schema, order.describe)};
}

/** Throws `InputError` for additions to the schema of the last freeze if that is not kept. */
export function refuseAdditions({newSchema, addColumns, addClasses}: Order, last: Freeze | undefined): void {
  if (last && !newSchema) return;
  const why = newSchema ? 'which --new-schema does not keep' : 'but the source does not have a freeze yet';
  const rule = `changes the schema of the last freeze, ${why}`;
  const added = {'--add-column': addColumns, '--add-class': addClasses};
  refuse(
    Object.entries(added).flatMap(([field, values]) => values.map(value => ({code: 'FZ901', field, value, rule}))),
    {ofUsage: true},
  );
}

async function keptSchema(
  order: Order,
  {freeze: {descriptor, format}}: RawList,
  schema: TableSchema,
  names: readonly string[],
  place: Pick<Fault, 'file' | 'line'>,
  infer: Infer,
): Promise<Inferred> {
  checkKey(order, [schema.primaryKey ?? []].flat(), descriptor);
  const inferred = order.addColumns.length === 0 ? {schema, mixed: []} : await infer([]);
  const changed = changedSchema(schema, order, inferred.schema);
  const faults = columnFaults(place, format, names, changed);
  if (faults.length > 0)
    throw new InputError([
      {code: 'FZ115', file: descriptor, rule: 'has the schema that this list must keep', fix: faults[0]?.fix},
      ...faults,
    ]);
  return {schema: changed, mixed: inferred.mixed.filter(({name}) => order.addColumns.includes(name))};
}

/** Throws `InputError` if the requested key differs from the key that is kept. */
function checkKey({key}: Order, carried: readonly string[], descriptor: string): void {
  if (key === undefined || key.join('\n') === carried.join('\n')) return;
  const rule = `is not the key in ${descriptor}, ${carried.join(', ') || 'which does not have a key'}`;
  const fix = 'Remove the option, or add `--new-schema` to change the key.';
  const option = key.length > 0 ? {field: '--primary-key', value: key.join(', ')} : {field: '--no-primary-key'};
  throw new InputError({code: 'FZ120', ...option, rule, fix});
}

async function inferAgain(
  {key}: Order,
  list: RawList,
  before: TableSchema | undefined,
  names: readonly string[],
  infer: Infer,
): Promise<Inferred> {
  const keyBefore = before && [before.primaryKey ?? []].flat();
  const keyKept = keyBefore?.every(name => names.includes(name)) ? keyBefore : undefined;
  const inferred = await infer(key ?? keyKept);
  return before ? {...inferred, schema: await keptChoices(list, inferred.schema, before)} : inferred;
}

/** Returns the options that apply only to rows. */
function rowOptionsOf({key, addColumns, addClasses, describe, missing}: Order): string[] {
  const given = {
    '--primary-key': key !== undefined && key.length > 0,
    '--no-primary-key': key?.length === 0,
    '--add-column': addColumns.length > 0,
    '--add-class': addClasses.length > 0,
    '--describe': describe.length > 0,
    '--missing': missing.length > 0,
  };
  return Object.entries(given).flatMap(([option, isGiven]) => (isGiven ? [option] : []));
}

/** `area.unit=km²`: a title, description or unit of a column. */
const DESCRIPTION = /^(.+)\.(title|description|unit)=(.*)$/s;

/**
 * Returns the schema with titles, descriptions and units of columns. Throws `InputError` if a text does not match DESCRIPTION or its column
 * does not exist.
 */
function describedSchema(schema: TableSchema, describe: readonly string[]): TableSchema {
  const fields = describe.reduce<readonly Field[]>((all, text) => {
    const [, column, member = '', words = ''] = DESCRIPTION.exec(text) ?? [];
    const fault = (rule: string, ofUsage = true) =>
      new InputError({code: 'FZ902', field: '--describe', value: text, rule}, {ofUsage});
    if (column === undefined) throw fault('is not COLUMN.title=…, COLUMN.description=… or COLUMN.unit=…');
    const index = all.findIndex(({name}) => name === column);
    const field = all[index];
    if (!field) throw fault(`names no column of the list, which has ${all.map(({name}) => name).join(', ')}`, false);
    if (/\p{Cc}/u.test(words)) throw fault('has control characters, such as a line break');
    const invisible = invisibleRule(words);
    if (invisible !== undefined) throw wrongUsage({code: 'FZ209', field: '--describe', value: text, rule: invisible});
    const members = Object.entries({...field, [member]: words}).filter(([, value]) => value !== '');
    // The type is safe: only a text member was added or removed.
    return all.with(index, Object.fromEntries(members) as unknown as Field);
  }, schema.fields);
  return {...schema, fields};
}
