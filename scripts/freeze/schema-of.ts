import {type Fault, InputError, refuse, wrongUsage} from '../../shared/fault.ts';
import {type TableSchema, type Field, given} from '../../build/read/table-schema.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import {changedSchema} from './change-schema.ts';
import {columnFaults} from './column-changes.ts';
import type {Inferred} from './infer-schema.ts';
import type {Order} from './order.ts';
import type {RawList} from './profile.ts';
import {invisibleRule} from '../../shared/printable.ts';
import type {Format} from '../../build/read/data-package.ts';
import {relation} from '../../build/rows/relation.ts';
import {COLUMNS, literal} from '../../build/rows/sql.ts';

/** A list without a schema, and what determines its schema. */
export interface SchemaRequest extends RawList {
  readonly order: Order;
  readonly last: Freeze | undefined;
  /** The columns of the list. */
  readonly names: readonly string[];
  /** The place of these names, for messages. */
  readonly place: Pick<Fault, 'file' | 'line'>;
  /** Infers a schema with a key: its columns, an empty list for no key, or undefined to choose one. */
  readonly infer: (key: readonly string[] | undefined) => Promise<Inferred>;
}

/**
 * Returns the schema of a list: the last freeze's with the publisher's additions, or an inferred one with the choices of the last.
 * Undefined for a list of events. Throws `InputError` if an option does not match the list.
 */
export async function schemaOf(list: SchemaRequest): Promise<Inferred | undefined> {
  const {order, freeze, last, names} = list;
  const kept = order.newSchema ? undefined : last;
  const isEvents = kept ? !kept.schema : freeze.format === 'json' && names.toSorted().join() === 'payload,type';
  if (isEvents) {
    const [option] = rowOptionsOf(order);
    if (option === undefined) return undefined;
    throw new InputError({code: 'FZ901', field: option, rule: 'applies only to rows, and this is a list of events'});
  }
  const found = await (kept?.schema ? keptSchema(list, kept.schema) : inferAgain(list, last?.schema));
  return {...found, schema: describedSchema(found.schema, order.describe)};
}

/** Throws `InputError` for additions to the schema of the last freeze if that is not kept. */
export function refuseAdditions({newSchema, addColumn, addClass}: Order, last: Freeze | undefined): void {
  if (last && !newSchema) return;
  const why = newSchema ? 'which --new-schema does not keep' : 'but the source does not have a freeze yet';
  const rule = `changes the schema of the last freeze, ${why}`;
  const added = {'--add-column': addColumn, '--add-class': addClass};
  refuse(
    Object.entries(added).flatMap(([field, values]) => values.map(value => ({code: 'FZ901', field, value, rule}))),
  );
}

async function keptSchema({order, freeze, names, place, infer}: SchemaRequest, schema: TableSchema): Promise<Inferred> {
  const {descriptor, format} = freeze;
  checkKey(order, [schema.primaryKey ?? []].flat(), descriptor);
  const inferred = order.addColumn.length === 0 ? {schema, warnings: []} : await infer([]);
  const changed = changedSchema(schema, order, inferred.schema);
  const faults = columnFaults(place, format, names, changed);
  if (faults.length > 0)
    throw new InputError([
      {code: 'FZ115', file: descriptor, rule: 'has the schema that this list must follow', fix: faults[0]?.fix},
      ...faults,
    ]);
  return {schema: changed, warnings: inferred.warnings.filter(({name}) => order.addColumn.includes(name))};
}

/** Throws `InputError` if the requested key differs from the key that is kept. */
function checkKey({key}: Order, carried: readonly string[], descriptor: string): void {
  if (key === undefined || key.join('\n') === carried.join('\n')) return;
  const rule = `is not the key in ${descriptor}, ${carried.join(', ') || 'which does not have a key'}`;
  const fix = 'Remove the option, or add `--new-schema` to change the key.';
  const option = key.length > 0 ? {field: '--primary-key', value: key.join(', ')} : {field: '--no-primary-key'};
  throw new InputError({code: 'FZ120', ...option, rule, fix});
}

async function inferAgain(list: SchemaRequest, before: TableSchema | undefined): Promise<Inferred> {
  const {order, names, infer} = list;
  const keyBefore = before && [before.primaryKey ?? []].flat();
  const keyKept = keyBefore?.every(name => names.includes(name)) ? keyBefore : undefined;
  const inferred = await infer(order.key ?? keyKept);
  return before ? {...inferred, schema: await keptChoices(list, inferred.schema, before)} : inferred;
}

/** Returns the options that apply only to rows. */
function rowOptionsOf({key, addColumn, addClass, describe, missing}: Order): string[] {
  const given = {
    '--primary-key': key !== undefined && key.length > 0,
    '--no-primary-key': key?.length === 0,
    '--add-column': addColumn.length > 0,
    '--add-class': addClass.length > 0,
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
    const fault = (rule: string) => new InputError({code: 'FZ902', field: '--describe', value: text, rule});
    if (column === undefined) throw fault('is not COLUMN.title=…, COLUMN.description=… or COLUMN.unit=…');
    const index = all.findIndex(({name}) => name === column);
    const field = all[index];
    if (!field) throw fault(`does not name a column of the list, which has ${all.map(({name}) => name).join(', ')}`);
    if (/\p{Cc}/u.test(words)) throw fault('has control characters, such as a line break');
    const invisible = invisibleRule(words);
    if (invisible !== undefined) throw wrongUsage({code: 'FZ209', field: '--describe', value: text, rule: invisible});
    const members = Object.entries({...field, [member]: words}).filter(([, value]) => value !== '');
    // The type is safe: only a text member was added or removed.
    return all.with(index, Object.fromEntries(members) as unknown as Field);
  }, schema.fields);
  return {...schema, fields};
}

type Type = Pick<Field, 'type' | 'scale'>;

/**
 * Returns an inferred schema with the choices of the last schema that all rows still satisfy: type, pattern, classes and uniqueness, which
 * the publisher may have edited. Title, description and unit are always kept. An optional column stays optional, because a later list may
 * lack a value again, which schemas of products would then have to allow.
 */
async function keptChoices(list: RawList, inferred: TableSchema, before: TableSchema): Promise<TableSchema> {
  const old = new Map(before.fields.map(field => [field.name, field]));
  const tried = inferred.fields.map(field => ofType(field, typeToTry(list.freeze.format, field, old.get(field.name))));
  const rows = relation(list.freeze, tried);
  const holds = async (predicate: string) => {
    const [cells] = await list.database.query(`SELECT ${predicate} FROM (${rows})`);
    return cells?.[0] === true;
  };
  const fields: Field[] = [];
  for (const [index, field] of inferred.fields.entries()) {
    const {constraints: {required, pattern, unique, enum: values} = {}, ...words} = old.get(field.name) ?? field;
    const classes = (values ?? []).filter(value => !list.freeze.missing.includes(String(value)));
    const {type, scale} = tried[index] ?? field;
    const isOfType =
      (type === field.type && scale === field.scale) ||
      (await holds(`count(*) FILTER (${COLUMNS.isWrong(index)}) = 0`));
    const kept = ofType(words, (isOfType && tried[index]) || field);
    const text = COLUMNS.text(index);
    const every = (predicate: string) => holds(`count(*) FILTER (${text} IS NOT NULL AND NOT ${predicate}) = 0`);
    const hasClasses = classes.length > 0 && kept.type === words.type && (await every(isOneOf(text, classes)));
    const matches = pattern !== undefined && (await every(`regexp_full_match(${text}, ${literal(pattern)})`));
    const isUnique = unique === true && (await holds(`count(DISTINCT ${text}) = count(${text})`));
    const limits = given({
      ...field.constraints,
      required: required && field.constraints?.required,
      ...(isUnique ? {unique} : {}),
      ...(matches ? {pattern} : {}),
      ...(hasClasses ? {enum: classes} : {}),
    });
    fields.push({...kept, ...(Object.keys(limits).length > 0 ? {constraints: limits} : {})});
  }
  return {...inferred, fields};
}

/** Returns the type of the last freeze, with its `scale`, if the rows may still have it, otherwise the inferred type. */
function typeToTry(format: Format, field: Field, old: Field = field): Type {
  // Parquet columns have fixed types, and a double cannot represent exact decimals.
  const isOther = format === 'parquet' && old.type !== field.type;
  const isRounded = old.type === 'number' && old.scale === undefined && field.scale !== undefined;
  // CSV is inferred to be text if numbers would lose characters, or if two texts would become one number.
  const isLossy = format === 'csv' && field.type === 'string' && (old.type === 'integer' || old.type === 'number');
  return isOther || isRounded || isLossy ? field : old;
}

function ofType(field: Field, {type, scale}: Type): Field {
  return given({...field, type, scale}) as Field;
}

function isOneOf(text: string, classes: readonly (string | number | boolean)[]): string {
  return `${text} IN (${classes.map(value => literal(String(value))).join(', ')})`;
}
