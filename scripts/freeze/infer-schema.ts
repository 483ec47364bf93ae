import type {Field, TableSchema} from '../../build/read/data-package.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import type {Database} from '../../build/rows/database.ts';
import {relation} from '../../build/rows/relation.ts';
import type {Column} from './columns.ts';
import {profilesOf, type Profile} from './profile.ts';

const MOST_CLASSES = 50;
/** A column whose values stand less often than this, on average, is no column of classes. */
const LEAST_ROWS_A_CLASS = 4;
const LONGEST_CLASS = 100;
/** The column that `class-share` counts by, however short the list. */
const CLASS_COLUMN = 'class';
const KEY_NAMES = ['url', 'uri', 'origin', 'id', 'key', 'address', 'domain', 'host', 'name', 'slug'];
/** The first count of different values is rough, so columns are counted again where it may be wrong by this factor. */
const ROUGH = 1.5;

/** A schema, and how many rows it was inferred from. */
export interface Inferred {
  readonly schema: TableSchema;
  readonly rows: number;
}

/**
 * A Table Schema that every row keeps: types, patterns of addresses and timestamps, the enum of a column with few values, `required`
 * where nothing is missing, and the primary key.
 *
 * @param key the columns of the key where the publisher names them; else a text column without doubles
 */
export async function inferSchema(
  database: Database,
  root: string,
  freeze: Freeze,
  columns: readonly Column[],
  key: readonly string[],
): Promise<Inferred> {
  const profiles = await profilesOf(database, root, freeze, columns);
  const enums = await enumsOf(database, root, freeze, profiles, key);
  const fields = profiles.map(profile => fieldOf(profile, enums.get(profile.name)));
  const candidates = keyCandidates(profiles.filter(({name}) => !enums.has(name)));
  const primaryKey = key.length > 0 ? key : await firstUnique(database, root, freeze, fields, candidates);
  return {schema: {fields, ...(primaryKey.length > 0 ? {primaryKey} : {})}, rows: profiles[0]?.rows ?? 0};
}

function fieldOf(profile: Profile, values: readonly string[] | undefined): Field {
  const pattern = patternOf(profile);
  const constraints = {
    ...(profile.values === profile.rows && profile.rows > 0 ? {required: true} : {}),
    ...(pattern === undefined ? {} : {pattern}),
    ...(values ? {enum: values} : {}),
  };
  return {name: profile.name, type: profile.type, ...(Object.keys(constraints).length > 0 ? {constraints} : {})};
}

/** A timestamp's pattern follows what all of them look like: `dddd-dd-dd dd:dd ET`. */
function patternOf({form, shape}: Profile): string | undefined {
  if (form === 'address') return 'https?://\\S+';
  return form === 'timestamp' ? shape?.replaceAll(/d+/g, digits => `\\d{${digits.length}}`) : undefined;
}

/** The values of the text columns that have few of them, in the order of their code points. */
async function enumsOf(
  database: Database,
  root: string,
  freeze: Freeze,
  profiles: readonly Profile[],
  key: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const fields = profiles.map(({name, type}): Field => ({name, type}));
  const few = profiles.flatMap((profile, index) =>
    mayBeClasses(profile) && !key.includes(profile.name) ? [index] : [],
  );
  if (few.length === 0) return new Map();
  const [lists = []] = await database.query(`
    SELECT ${few.map(index => `list_sort(list(DISTINCT v${index}) FILTER (v${index} IS NOT NULL))`).join(', ')}
    FROM (${relation(root, freeze, fields)})`);
  const enums = few.map((index, nth) => [profiles[index], lists[nth] as string[]] as const);
  return new Map(
    enums.flatMap(([profile, values]) =>
      profile && values.length <= mostClasses(profile) ? [[profile.name, values] as const] : [],
    ),
  );
}

function mayBeClasses(profile: Profile): boolean {
  const {type, form, values, distinct, longest} = profile;
  const isText = type === 'string' && form === undefined && values > 0;
  return isText && longest <= LONGEST_CLASS && distinct <= mostClasses(profile) * ROUGH;
}

/** With how many different values a column is one of classes. */
function mostClasses({name, rows}: Profile): number {
  return name.toLowerCase() === CLASS_COLUMN ? MOST_CLASSES : Math.min(MOST_CLASSES, rows / LEAST_ROWS_A_CLASS);
}

/** Text columns that may be unique: those with a name of a key first, then in their order. */
function keyCandidates(profiles: readonly Profile[]): string[] {
  const nearly = profiles.filter(
    ({type, form, rows, values, distinct}) =>
      type === 'string' && form !== 'timestamp' && rows > 0 && values === rows && distinct * ROUGH >= rows,
  );
  const rank = ({name}: Profile) => KEY_NAMES.indexOf(name.toLowerCase()) + 1 || KEY_NAMES.length + 1;
  return nearly.sort((a, b) => rank(a) - rank(b)).map(({name}) => name);
}

async function firstUnique(
  database: Database,
  root: string,
  freeze: Freeze,
  fields: readonly Field[],
  candidates: readonly string[],
): Promise<readonly string[]> {
  for (const name of candidates) {
    const value = `v${fields.findIndex(field => field.name === name)}`;
    const [counts] = await database.query(
      `SELECT count(DISTINCT ${value}) = count(*) FROM (${relation(root, freeze, fields)})`,
    );
    if (counts?.[0] === true) return [name];
  }
  return [];
}
