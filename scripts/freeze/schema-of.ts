import {type Fault, InputError, refuse, wrongUsage} from '../../shared/fault.ts';
import type {TableSchema, Field} from '../../build/read/table-schema.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import {changedSchema} from './change-schema.ts';
import type {Inferred} from './infer-schema.ts';
import {keptChoices} from './kept-choices.ts';
import type {Order} from './order.ts';
import type {RawList} from './profile.ts';
import {invisibleRule} from '../../shared/printable.ts';

/** Returns the key for the columns of a list: its columns, an empty list for no key, or undefined to choose one. */
export type KeyOf = (columns: readonly string[]) => readonly string[] | undefined;

/**
 * Returns the schema of a list: the last freeze's with the publisher's additions, or an inferred one with the choices of the last.
 * Undefined for a list of events. Throws `InputError` if an option does not match the list.
 */
export async function schemaOf(
  order: Order,
  list: RawList,
  last: Freeze | undefined,
  infer: (keyOf: KeyOf) => Promise<Inferred | undefined>,
  columnFaults: (schema: TableSchema) => Promise<readonly Fault[]>,
): Promise<Inferred | undefined> {
  const kept = order.newSchema ? undefined : last;
  if (!kept) refuseChanges(order);
  const found = kept ? await keptSchema(order, kept, infer, columnFaults) : await inferAgain(order, list, last, infer);
  if (found) return {...found, schema: describedSchema(found.schema, order.describe)};
  const [option] = rowOptionsOf(order);
  if (option) throw new InputError({code: 'FZ901', field: option, rule: 'is for rows: this is a list of events'});
  return undefined;
}

/** With --new-schema, `orderOf` refuses these options. */
function refuseChanges({addColumns, addClasses}: Order): void {
  const rule = 'changes the schema of the last freeze, but the source does not have a freeze yet';
  refuse(
    [
      ...addColumns.map(value => ({code: 'FZ901' as const, field: '--add-column', value, rule})),
      ...addClasses.map(value => ({code: 'FZ901' as const, field: '--add-class', value, rule})),
    ],
    {ofUsage: true},
  );
}

async function keptSchema(
  order: Order,
  {schema, descriptor}: Freeze,
  infer: (keyOf: KeyOf) => Promise<Inferred | undefined>,
  columnFaults: (schema: TableSchema) => Promise<readonly Fault[]>,
): Promise<Inferred | undefined> {
  if (!schema) return undefined;
  const key = [schema.primaryKey ?? []].flat();
  checkKey(order, key, descriptor);
  const inferred = order.addColumns.length === 0 ? {schema, mixed: []} : await infer(() => []);
  if (!inferred) return undefined;
  const changed = changedSchema(schema, order, inferred.schema);
  const faults = await columnFaults(changed);
  if (faults.length > 0)
    throw new InputError([
      {code: 'FZ115', file: descriptor, rule: 'has the schema that this list must keep', fix: faults[0]?.fix},
      ...faults,
    ]);
  return {schema: changed, mixed: inferred.mixed.filter(({name}) => order.addColumns.includes(name))};
}

/** Throws `InputError` if the requested key differs from the key that is kept. */
function checkKey({key: asked, noKey}: Order, carried: readonly string[], descriptor: string): void {
  const isKept = asked.length === 0 || asked.join('\n') === carried.join('\n');
  if (isKept && !(noKey && carried.length > 0)) return;
  const rule = `is not the key in ${descriptor}, ${carried.join(', ') || 'which does not have a key'}`;
  const fix = 'Remove the option, or add `--new-schema` to change the key.';
  throw new InputError(
    noKey
      ? {code: 'FZ120' as const, field: '--no-primary-key', rule, fix}
      : {code: 'FZ120' as const, field: '--primary-key', value: asked.join(', '), rule, fix},
  );
}

async function inferAgain(
  {key, noKey}: Order,
  list: RawList,
  last: Freeze | undefined,
  infer: (keyOf: KeyOf) => Promise<Inferred | undefined>,
): Promise<Inferred | undefined> {
  const before = last?.schema;
  const keyBefore = before && [before.primaryKey ?? []].flat();
  const inferred = await infer(columns => {
    if (noKey || key.length > 0) return key;
    return keyBefore?.every(name => columns.includes(name)) ? keyBefore : undefined;
  });
  return inferred && before ? {...inferred, schema: await keptChoices(list, inferred.schema, before)} : inferred;
}

/** Returns the options that apply only to rows. */
function rowOptionsOf({key, noKey, addColumns, addClasses, describe, missing}: Order): string[] {
  const given = {
    '--primary-key': key.length > 0,
    '--no-primary-key': noKey,
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
