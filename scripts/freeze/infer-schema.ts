import {InputError, refuse} from '../../shared/fault.ts';
import {fieldName, tableSchemaFaults, type Field, type TableSchema} from '../../build/read/data-package.ts';
import {COLUMNS_RULE, MAX_COLUMNS} from '../../build/read/limits.ts';
import {relation} from '../../build/rows/relation.ts';
import {profilesOf, type Column, type Profile, type RawList} from './profile.ts';

const MOST_CLASSES = 50;
/** A column whose values stand less often than this, on average, is no column of classes. */
const LEAST_ROWS_A_CLASS = 4;
const LONGEST_CLASS = 100;
/** The column that `class-share` counts by, however short the list. */
const CLASS_COLUMN = 'class';
const KEY_NAMES = ['url', 'uri', 'origin', 'id', 'key', 'address', 'domain', 'host', 'name', 'slug'];
/** The first count of different values is rough, so columns are counted again where it may be wrong by this factor. */
const ROUGH = 1.5;
/**
 * A Table Schema that every row keeps: types, patterns of addresses and timestamps, the enum of a column with few values, `required`
 * where nothing is missing, and the primary key. Throws `InputError` where there is no row, or a column cannot be one.
 *
 * @param key the columns of the key where the publisher names them; else a text column without doubles
 */
export async function inferSchema(
  list: RawList,
  columns: readonly Column[],
  key: readonly string[],
): Promise<TableSchema> {
  const [file = ''] = list.freeze.files;
  const line = list.freeze.format === 'csv' ? 1 : undefined;
  if (columns.length > MAX_COLUMNS)
    throw new InputError({file, line, field: String(columns.length), rule: COLUMNS_RULE});
  const isName = new RegExp(fieldName.pattern, 'u');
  const rule = `is not ${fieldName.description}`;
  refuse(
    columns.flatMap(({name: value}, index) =>
      isName.test(value) ? [] : [{file, line, field: `column ${index + 1}`, value, rule}],
    ),
  );
  const profiles = await profilesOf(list, columns);
  if (!profiles[0]?.rows) throw new InputError({file, rule: 'holds no row to infer a schema from'});
  const enums = await enumsOf(list, profiles, key);
  const fields = profiles.map(profile => fieldOf(profile, enums.get(profile.name)));
  const candidates = profiles.filter(({name}) => !enums.has(name));
  const primaryKey = key.length > 0 ? key : await firstUnique(list, fields, candidates);
  const schema = {fields, ...(primaryKey.length > 0 ? {primaryKey} : {})};
  refuse(tableSchemaFaults(schema, (_, value, fault) => ({file, field: 'column', value, rule: fault})));
  return schema;
}

function fieldOf({name, type, form, values, rows}: Profile, classes: readonly string[] | undefined): Field {
  const pattern = patternOf(form);
  const constraints = {
    ...(values === rows ? {required: true} : {}),
    ...(pattern === undefined ? {} : {pattern}),
    ...(classes ? {enum: classes} : {}),
  };
  return {name, type, ...(Object.keys(constraints).length > 0 ? {constraints} : {})};
}

/** A timestamp's pattern follows what all of them look like: `dddd-dd-dd dd:dd ET`. */
function patternOf(form: string | undefined): string | undefined {
  if (form === 'address') return 'https?://\\S+';
  return form === 'timestamps' ? undefined : form?.replaceAll(/d+/g, digits => `\\d{${digits.length}}`);
}

/** The values of the text columns that have few of them, in the order of their code points. */
async function enumsOf(
  {database, root, freeze}: RawList,
  profiles: readonly Profile[],
  key: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const few = profiles.filter(profile => {
    const {name, type, form, values, distinct, longest} = profile;
    const isText = type === 'string' && form === undefined && values > 0 && longest <= LONGEST_CLASS;
    return isText && distinct <= mostClasses(profile) * ROUGH && !key.includes(name);
  });
  if (few.length === 0) return new Map();
  const lists = few.map(profile => {
    const text = `t${profiles.indexOf(profile)}`;
    return `list_sort(list(DISTINCT ${text}) FILTER (${text} IS NOT NULL))`;
  });
  const [values = []] = await database.query(`SELECT ${lists.join(', ')} FROM (${relation(root, freeze, profiles)})`);
  const enums = few.map((profile, index) => [profile, values[index] as string[]] as const);
  return new Map(
    enums.filter(([profile, {length}]) => length <= mostClasses(profile)).map(([{name}, list]) => [name, list]),
  );
}

/** With how many different values a column is one of classes. */
function mostClasses({name, rows}: Profile): number {
  return name.toLowerCase() === CLASS_COLUMN ? MOST_CLASSES : Math.min(MOST_CLASSES, rows / LEAST_ROWS_A_CLASS);
}

/** The first text column without doubles: those with a name of a key first, then in their order. */
async function firstUnique(
  {database, root, freeze}: RawList,
  fields: readonly Field[],
  profiles: readonly Profile[],
): Promise<readonly string[]> {
  const rank = ({name}: Profile) => KEY_NAMES.indexOf(name.toLowerCase()) + 1 || KEY_NAMES.length + 1;
  const candidates = profiles.filter(
    ({type, form, rows, values, distinct}) =>
      type === 'string' && (form === undefined || form === 'address') && values === rows && distinct * ROUGH >= rows,
  );
  for (const {name} of candidates.sort((a, b) => rank(a) - rank(b))) {
    const text = `t${fields.findIndex(field => field.name === name)}`;
    const [counts] = await database.query(
      `SELECT count(DISTINCT ${text}) = count(*) FROM (${relation(root, freeze, fields)})`,
    );
    if (counts?.[0] === true) return [name];
  }
  return [];
}
