import {InputError, refuse} from '../../shared/fault.ts';
import {WEB_ADDRESS_RE2} from '../../build/kinds/rows/named-rows.ts';
import {
  fieldName,
  tableSchemaFaults,
  type Field,
  type FieldType,
  type TableSchema,
} from '../../build/read/data-package.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import {COLUMNS_RULE, MAX_COLUMNS} from '../../build/read/limits.ts';
import type {Database} from '../../build/rows/database.ts';
import {FIELD_TYPES} from '../../build/rows/field-types.ts';
import {FORMATS} from '../../build/rows/formats.ts';
import {relation} from '../../build/rows/relation.ts';
import {literal} from '../../build/rows/sql.ts';

/** In the order in which a column is given one: a column of 0 and 1 holds integers. */
const TYPES: readonly FieldType[] = ['integer', 'number', 'boolean', 'date', 'datetime', 'string'];
/** `2026-04-28 09:12 ET`, with or without seconds and zone. */
const TIMESTAMP = '\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}(:\\d{2})?( [A-Z]{2,5})?';
/** What would lose something as a number is none: zeros in front, as postal codes have, and digits past those of a double. */
const NUMBER = '-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?';
/** 16 before the point, or 18 in all from the first that is not zero. */
const TOO_MANY_DIGITS = '-?([0-9]{16,}([.][0-9]*)?|[0.]*[1-9][.]?([0-9][.]?){17,})([eE].*)?';

const MOST_CLASSES = 50;
/** A column whose values stand less often than this, on average, is no column of classes. */
const LEAST_ROWS_A_CLASS = 4;
const LONGEST_CLASS = 100;
/** The column that `class-share` counts by, however short the list. */
const CLASS_COLUMN = 'class';
const KEY_NAMES = ['url', 'uri', 'origin', 'id', 'key', 'address', 'domain', 'host', 'name', 'slug'];
/** The first count of different values is rough, so columns are counted again where it may be wrong by this factor. */
const ROUGH = 1.5;
/** So many columns are asked about at a time: the database plans a query about many for minutes. */
const AT_ONCE = 12;
const MOST_SHAPES = 10_000;

/** A list without a schema. */
export interface RawList {
  readonly database: Database;
  readonly root: string;
  readonly freeze: Freeze;
}

/** A column as the files have it; the format may tell its type. */
export interface Column {
  readonly name: string;
  readonly type?: FieldType;
}

/** What the rows say of a column. */
interface Profile extends Field {
  /** What all texts are beside their type, if anything: `address`, `timestamps`, or how all of those are written, with `d` for each digit. */
  readonly form: string | undefined;
  readonly rows: number;
  /** Rows that have a value. */
  readonly values: number;
  /** How many different values there are, roughly. */
  readonly distinct: number;
  /** Length of the longest value, in characters. */
  readonly longest: number;
}

/** JSON: the members of all rows, those of the first row first. Parquet: the columns. */
export async function columnsOf({database, root, freeze}: RawList): Promise<Column[]> {
  const from = FORMATS[freeze.format].from(root, freeze, []);
  if (freeze.format === 'parquet') {
    const columns = await database.query(`DESCRIBE SELECT * FROM ${from}`);
    return columns.map(([name, type]) => ({name: String(name), type: parquetType(freeze, String(name), String(type))}));
  }
  const shapes = await database.query(`
    SELECT names FROM (SELECT map_keys(members)[:${MAX_COLUMNS + 1}] AS names, row_number() OVER () AS row FROM ${from})
    GROUP BY names ORDER BY min(row) LIMIT ${MOST_SHAPES}`);
  return [...new Set(shapes.flatMap(([names]) => (names ?? []) as string[]))].map(name => ({name}));
}

function parquetType({files: [file = '']}: Freeze, name: string, value: string): FieldType {
  const type = TYPES.find(candidate => FIELD_TYPES[candidate].parquet.test(value));
  if (type) return type;
  const rule = 'is a type that rows cannot have: text, whole and other numbers, booleans, dates and timestamps';
  throw new InputError({file, field: `column "${name}"`, value, rule});
}

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
  const profiles: Profile[] = [];
  for (let at = 0; at < columns.length; at += AT_ONCE) profiles.push(...(await profilesOf(list, columns, at)));
  if (!profiles[0]?.rows) throw new InputError({file, rule: 'holds no row to infer a schema from'});
  const enums = await enumsOf(list, profiles, key);
  const fields = profiles.map(profile => fieldOf(profile, enums.get(profile.name)));
  const candidates = profiles.filter(({name}) => !enums.has(name));
  const primaryKey = key.length > 0 ? key : await firstUnique(list, fields, candidates);
  const schema = {fields, ...(primaryKey.length > 0 ? {primaryKey} : {})};
  refuse(tableSchemaFaults(schema, (_, value, fault) => ({file, field: 'column', value, rule: fault})));
  return schema;
}

/** Looks in one pass at all values of some of the columns, from one on. */
async function profilesOf(
  {database, root, freeze}: RawList,
  columns: readonly Column[],
  from: number,
): Promise<Profile[]> {
  const format = FORMATS[freeze.format];
  const fields = columns.map(({name, type = 'string'}): Field => ({name, type}));
  const some = fields.slice(from, from + AT_ONCE);
  const texts = some.map((field, index) => {
    const isNo = (type: FieldType) => format.wrongKind?.({...field, type}) ?? 'false';
    const kinds = `${isNo('string')} AS s${index}, ${isNo('integer')} AS n${index}, ${isNo('boolean')} AS b${index}`;
    return `${format.text(field, from + index)} AS t${index}, ${kinds}`;
  });
  const findings = some.map(({type}, index) => {
    const kinds = type === 'string' ? `histogram(${kindOf(index)}) FILTER (t${index} IS NOT NULL)` : 'NULL';
    return `to_json({'rows': count(*), 'values': count(t${index}), 'distinct': approx_count_distinct(t${index}),
      'longest': coalesce(max(length(t${index})), 0), 'kinds': ${kinds}})`;
  });
  const [cells = []] = await database.query(`
    SELECT ${findings.join(', ')} FROM (SELECT ${texts.join(', ')} FROM ${format.from(root, freeze, fields)})`);
  return some.map(({name}, index) => {
    const {kinds, ...finding} = JSON.parse(String(cells[index])) as Profile & {kinds: Record<string, number> | null};
    const found = typeOf(new Map(Object.entries(kinds ?? {})), format.wrongKind === undefined);
    return {...finding, name, ...found, type: columns[from + index]?.type ?? found.type};
  });
}

/**
 * SQL of what a text is: a type, `address`, the shape of a timestamp, or `nothing` that a row may hold. Of CASE the database evaluates only
 * what it needs, of AND and OR both sides: so the first character tells what is tried.
 */
function kindOf(index: number): string {
  const [text, noText, noNumber, noBoolean] = [`t${index}`, `s${index}`, `n${index}`, `b${index}`];
  const matches = (pattern: string) => `regexp_full_match(${text}, ${literal(pattern)})`;
  const fits = (type: FieldType) => FIELD_TYPES[type].valid?.(text, `(${FIELD_TYPES[type].value(text)})`) ?? 'true';
  return `CASE
    WHEN starts_with(${text}, 'http') THEN CASE WHEN ${matches(WEB_ADDRESS_RE2)} THEN 'address' ELSE 'string' END
    WHEN ${text} NOT BETWEEN '-' AND ':' THEN
      CASE WHEN NOT ${noBoolean} AND ${fits('boolean')} THEN 'boolean' WHEN ${noText} THEN 'nothing' ELSE 'string' END
    WHEN NOT ${noNumber} AND ${matches(NUMBER)} THEN
      CASE WHEN ${fits('integer')} THEN 'integer' WHEN ${fits('number')} AND NOT ${matches(TOO_MANY_DIGITS)} THEN 'number'
        WHEN ${noText} THEN 'nothing' ELSE 'string' END
    WHEN ${noText} THEN 'nothing'
    WHEN ${fits('date')} THEN 'date'
    WHEN ${fits('datetime')} THEN 'datetime'
    WHEN ${matches(TIMESTAMP)} THEN translate(${text}, '0123456789', 'dddddddddd')
    ELSE 'string' END`;
}

/**
 * The type that most values have: its rule then says what is wrong with the others.
 *
 * @param isText whether every value is a text, as in CSV; in JSON a number is none
 */
function typeOf(kinds: ReadonlyMap<string, number>, isText: boolean): Pick<Profile, 'type' | 'form'> {
  const isOf = (type: FieldType, kind: string) => {
    if (type === 'string') return isText || !['integer', 'number', 'boolean', 'nothing'].includes(kind);
    return type === kind || (type === 'number' && kind === 'integer');
  };
  const rowsOf = (type: FieldType) =>
    [...kinds].reduce((rows, [kind, count]) => rows + (isOf(type, kind) ? count : 0), 0);
  const most = Math.max(...TYPES.map(rowsOf));
  const type = (most > 0 && TYPES.find(candidate => rowsOf(candidate) === most)) || 'string';
  if (type !== 'string') return {type, form: undefined};
  const [form = 'string', ...others] = kinds.keys();
  const isTimes = [form, ...others].every(kind => kind.startsWith('dddd'));
  if (others.length > 0) return {type, form: isTimes ? 'timestamps' : undefined};
  return {type, form: form === 'address' || isTimes ? form : undefined};
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
