import {InputError, refuse, type Fault} from '../../shared/fault.ts';
import {englishCount, englishNumber, firstOf} from '../../shared/english.ts';
import {given, NESTED_TYPES, tableSchemaFaults, type Field, type TableSchema} from '../../build/read/table-schema.ts';
import {TOO_MANY_COLUMNS, MAX_COLUMNS} from '../../build/read/limits.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import {relation} from '../../build/rows/relation.ts';
import {chooseKey, ROUGH} from './choose-key.ts';
import {nameRule} from './column-names.ts';
import {missingOptions} from './column-type.ts';
import {profilesOf, type Column, type Profile, type RawList} from './profile.ts';
import {COLUMNS} from '../../build/rows/sql.ts';

const MOST_CLASSES = 50;
/** A column whose values occur fewer times than this, on average, is not a column of classes. */
const LEAST_ROWS_A_CLASS = 4;
const LONGEST_CLASS = 100;
/** `class-share` counts this column, so it has classes even in a short list. */
const CLASS_COLUMN = 'class';

export interface Inferred {
  readonly schema: TableSchema;
  readonly warnings: readonly ColumnWarning[];
}

/** A column that is text although it may be meant to have another type. */
export interface ColumnWarning {
  readonly name: string;
  /** Follows "is text, because". */
  readonly reason: string;
  /** Precedes "freeze again": a condition, and what to do before. */
  readonly remedy: string;
  /** The options with which to freeze again. */
  readonly options: readonly string[];
}

/** A number that is likely an identifier, such as `007` and `12E4`. */
const IDENTIFIER = /^[+-]?0\d|e/i;

/**
 * Infers a Table Schema that all rows satisfy: types, patterns of addresses and timestamps, enums of columns with few values, `required`
 * for columns without missing values, and the primary key. Throws `InputError` if the list is empty, or a column is invalid.
 *
 * @param key the columns of the key, or an empty list; undefined to choose one
 * @param earlier freezes in which a chosen key must be unique too
 */
export async function inferSchema(
  list: RawList,
  columns: readonly Column[],
  key: readonly string[] | undefined,
  earlier: readonly Freeze[],
): Promise<Inferred> {
  const [file = ''] = list.freeze.files;
  if (columns.length > MAX_COLUMNS) throw new InputError({...TOO_MANY_COLUMNS, file, field: String(columns.length)});
  refuse(
    columns.flatMap(({name: value}, index): Fault[] => {
      const rule = nameRule(value);
      const at = {file, field: `column ${index + 1}`, value};
      return rule === undefined ? [] : [{code: 'FZ106', ...at, rule, fix: RENAME}];
    }),
  );
  const profiles = await profilesOf(list, columns);
  if (!profiles[0]?.rows)
    throw new InputError({code: 'FZ126', file, rule: 'does not contain rows, so a schema cannot be inferred'});
  refuse(profiles.flatMap(profile => mixtureFaults(file, profile)));
  const enums = await enumsOf(list, profiles, key ?? []);
  const fields = profiles.map(profile => fieldOf(profile, enums.get(profile.name)));
  refuse(keyFaults(key, fields));
  const candidates = profiles.filter(({name}) => !enums.has(name));
  const primaryKey = key ?? [await chooseKey(list, fields, candidates, earlier)];
  const schema = {fields, ...(primaryKey.length > 0 ? {primaryKey} : {})};
  refuse(
    tableSchemaFaults(schema, (_, value, rule) => ({code: 'FZ114', file, field: 'column', value, rule, fix: RENAME})),
  );
  return {schema, warnings: [...profiles.flatMap(mixedWarnings), ...profiles.flatMap(lossyWarnings)]};
}

/** Returns errors of a key: names that are not columns of the list, and columns of objects or lists. */
function keyFaults(key: readonly string[] = [], fields: readonly Field[]): Fault[] {
  return key.flatMap((value): Fault[] => {
    const type = fields.find(({name}) => name === value)?.type;
    if (type !== undefined && !NESTED_TYPES.includes(type)) return [];
    const rule =
      type === undefined
        ? `is not a column of the list, which has ${firstOf(fields.map(({name}) => name))}`
        : `is a column of type ${type}, which cannot be a key`;
    return [{code: 'FZ902', field: '--primary-key', value, rule, fix: OTHER_KEY}];
  });
}

/** Returns the warning about a column that would not be text if some texts meant a missing value. */
function mixedWarnings({name, type, values, mixture}: Profile): ColumnWarning[] {
  if (type !== 'string' || !mixture) return [];
  const {mismatches, texts} = mixture;
  const [are, they] = mismatches === 1 ? ['is', 'it means'] : ['are', 'they mean'];
  const others = `${englishNumber(mismatches)} of its ${englishCount(values, 'value')} ${are} not of type ${mixture.type}`;
  const remedy = `If ${they} a missing value,`;
  return [{name, reason: `${others}: ${firstOf(texts)}`, remedy, options: [missingOptions(mixture)]}];
}

/** Returns the warning about a column that is text only because numbers would lose characters of some of its values. */
function lossyWarnings({name, lossy}: Profile): ColumnWarning[] {
  const [text = '', same] = lossy;
  if (text === '' || lossy.some(one => IDENTIFIER.test(one))) return [];
  const [reason, change] =
    same === undefined
      ? [`a number would lose characters of ${text}`, 'write them as in JSON, such as 7 or 0.5']
      : [`${text} and ${same} are the same number`, 'write each number in one way'];
  return [{name, reason, remedy: `If its values are numbers, ${change}, and`, options: []}];
}

const RENAME = 'Rename it in the list.';
const OTHER_KEY = 'Name other columns with `--primary-key`, or add `--no-primary-key`.';

/** Up to this many values of another type count as mistakes, and are reported row by row. */
const MANY_MISMATCHES = 20;

function mixtureFaults(file: string, {name, type, values, mismatches, mixture}: Profile): Fault[] {
  if (mismatches <= MANY_MISMATCHES) return [];
  const others = mixture ? `other values (${mixture.texts.join(', ')})` : 'of other types';
  const rule = `has ${values - mismatches} values of type ${type} and ${mismatches} ${others}`;
  const missing = mixture ? `Add \`${missingOptions(mixture)}\` if these mean a missing value, make` : 'Make';
  return [{code: 'FZ118', file, field: `column "${name}"`, rule, fix: `${missing} them alike, or remove the column.`}];
}

function fieldOf(
  {name, type, scale, form, values, rows, missingValues}: Profile,
  classes: readonly string[] | undefined,
): Field {
  const required = values === rows ? true : undefined;
  const constraints = given({required, pattern: patternOf(form), enum: classes});
  const isFree = Object.keys(constraints).length === 0;
  return {name, type, ...given({scale, missingValues}), ...(isFree ? {} : {constraints})};
}

/** Returns the pattern of addresses, or of timestamps in one format: `dddd-dd-dd dd:dd ET` has a digit for each `d`. */
function patternOf(form: string | undefined): string | undefined {
  if (form === 'address') return 'https?://\\S+';
  return form === 'timestamps' ? undefined : form?.replaceAll(/d+/g, digits => `\\d{${digits.length}}`);
}

/** Returns the values of text columns that have few of them, sorted by code point. */
async function enumsOf(
  {database, freeze}: RawList,
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
    const text = COLUMNS.text(profiles.indexOf(profile));
    return `list_sort(list(DISTINCT ${text}) FILTER (${text} IS NOT NULL))`;
  });
  const [values = []] = await database.query(`SELECT ${lists.join(', ')} FROM (${relation(freeze, profiles)})`);
  const enums = few.map((profile, index) => [profile, values[index] as string[]] as const);
  return new Map(
    enums.filter(([profile, {length}]) => length <= mostClasses(profile)).map(([{name}, list]) => [name, list]),
  );
}

/** The maximum number of different values in a column of classes. */
function mostClasses({name, rows}: Profile): number {
  return name.toLowerCase() === CLASS_COLUMN ? MOST_CLASSES : Math.min(MOST_CLASSES, rows / LEAST_ROWS_A_CLASS);
}
