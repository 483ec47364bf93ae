import {InputError} from '../../shared/fault.ts';
import {quoted} from '../../shared/command-line.ts';
import type {Field} from '../../build/read/table-schema.ts';
import type {FrozenList} from '../../build/read/freezes.ts';
import {relation} from '../../build/rows/relation.ts';
import {COLUMNS, isOfDuckDb} from '../../build/rows/sql.ts';
import type {Profile, RawList} from './profile.ts';

/** Typical names of key columns, most reliable first. */
const KEY_NAMES = ['url', 'uri', 'origin', 'id', 'key', 'address', 'domain', 'host', 'code', 'slug'];
/** The last word of typical names: `licenseId`, `country_code`. */
const KEY_ENDINGS = ['id', 'key', 'code'];
/** Ranks, lower is better: a name in KEY_NAMES, the source and an ending, only an ending, the name of the source, any other name. */
const [NAMED, OF_SOURCE, ENDS_SO, LISTED, OTHER] = [0, 20, 40, 200, 400];
/** Added to the rank of integer columns. They rank after text columns with such a name, because most kinds of products need a text key. */
const NUMBER = 100;
const SHORT = 64;
/** In shorter lists, values may be unique by chance. */
const FEW_ROWS = 10;
/**
 * Distinct values are first counted approximately. Columns that are within this factor of the limit are counted exactly. DuckDB estimates
 * up to 1.6 times the real number, and as little as half of it for a few values.
 */
export const ROUGH = 2.5;

/**
 * Returns the column that identifies the rows: among the columns without duplicates and missing values, here and in all earlier freezes,
 * the one with the best name, otherwise the first short text. Throws `InputError` if no column is convincing.
 *
 * @param profiles the columns that may be the key
 */
export async function chooseKey(
  list: RawList,
  fields: readonly Field[],
  profiles: readonly Profile[],
  earlier: readonly FrozenList[],
): Promise<string> {
  const rankOf = ({name, type, longest}: Profile) =>
    nameRank(name, list.freeze.source) + (type === 'integer' ? NUMBER : 0) + (longest > SHORT ? 1 : 0);
  const candidates = profiles.filter(profile => {
    const {name, type, form, rows, values, distinct} = profile;
    const isText = type === 'string' && (form === undefined || form === 'address');
    const isNumber = type === 'integer' && nameRank(name, list.freeze.source) < LISTED;
    return (isText || isNumber) && values === rows && distinct * ROUGH >= rows;
  });
  const uncertain: string[] = [];
  for (const profile of candidates.sort((a, b) => rankOf(a) - rankOf(b))) {
    const {name, rows, longest} = profile;
    if (!(await isUnique(list, list.freeze, fields, name)) || !(await isUniqueBefore(list, earlier, name))) continue;
    if (nameRank(name, list.freeze.source) < OTHER || (rows >= FEW_ROWS && longest <= SHORT)) return name;
    uncertain.push(name);
  }
  const [file = ''] = list.freeze.files;
  const unclear = 'has no column that is certainly its key';
  if (uncertain[0] === undefined)
    throw new InputError({code: 'FZ120', file, rule: `${unclear}, and no text column without repeated values`});
  const rule = `${unclear}, though these have no repeated values: ${uncertain.join(', ')}`;
  const fix = `Add \`--primary-key ${quoted(uncertain[0])}\` if it identifies the rows, or else \`--no-primary-key\`.`;
  throw new InputError({code: 'FZ120', file, rule, fix});
}

/** Returns the rank of a column's name; a lower rank means a more likely key. */
function nameRank(name: string, source: string): number {
  const words = wordsIn(name);
  const known = KEY_NAMES.indexOf(words.join(''));
  if (known >= 0) return NAMED + known;
  const ofSource = wordsIn(source).flatMap(word => [word, word.replace(/ies$/, 'y'), word.replace(/s$/, '')]);
  ofSource.push(wordsIn(source).join(''), wordsIn(source).join('').replace(/s$/, ''));
  const isEnding = KEY_ENDINGS.includes(words.at(-1) ?? '');
  if (isEnding && ofSource.includes(words.slice(0, -1).join(''))) return OF_SOURCE;
  if (isEnding) return ENDS_SO;
  if (ofSource.includes(words.join(''))) return LISTED;
  return words.join('') === 'name' ? LISTED + 1 : OTHER;
}

/** Splits `licenseId`, `license_id` and `license-id` into `license` and `id`. */
function wordsIn(name: string): string[] {
  return name
    .replaceAll(/(?<=[a-z0-9])[A-Z]/g, ' $&')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
}

async function isUniqueBefore(list: RawList, earlier: readonly FrozenList[], name: string): Promise<boolean> {
  for (const freeze of earlier) {
    const fields = freeze.schema?.fields ?? [];
    if (!fields.some(field => field.name === name)) continue;
    try {
      if (!(await isUnique(list, freeze, fields, name))) return false;
    } catch (error) {
      // An earlier freeze that cannot be read does not prevent a new one.
      if (!isOfDuckDb(error)) throw error;
    }
  }
  return true;
}

/** True if all rows have a value and all values differ. */
async function isUnique({database}: RawList, freeze: FrozenList, fields: readonly Field[], name: string) {
  const text = COLUMNS.text(fields.findIndex(field => field.name === name));
  const [cells] = await database.query(`SELECT count(DISTINCT ${text}) = count(*) FROM (${relation(freeze, fields)})`);
  return cells?.[0] === true;
}
