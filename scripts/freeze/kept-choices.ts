import type {Format} from '../../build/read/data-package.ts';
import type {Field, TableSchema} from '../../build/read/table-schema.ts';
import {relation} from '../../build/rows/relation.ts';
import {literal} from '../../build/rows/sql.ts';
import type {RawList} from './profile.ts';

type Type = Pick<Field, 'type' | 'scale'>;

/**
 * An inferred schema with what the last one says of the same columns and all rows still keep: type, pattern and uniqueness, which somebody
 * may have chosen, and title, description and unit in any case.
 */
export async function keptChoices(list: RawList, inferred: TableSchema, before: TableSchema): Promise<TableSchema> {
  const old = new Map(before.fields.map(field => [field.name, field]));
  const tried = inferred.fields.map(field => ofType(field, typeToTry(list.freeze.format, field, old.get(field.name))));
  const fields: Field[] = [];
  for (const [index, field] of inferred.fields.entries()) {
    const {constraints: {pattern, unique} = {}, ...words} = old.get(field.name) ?? field;
    const holds = async (predicate: string) => await isTrue(list, tried, predicate);
    const {type, scale} = tried[index] ?? field;
    const isOfType = (type === field.type && scale === field.scale) || (await holds(`count(*) FILTER (w${index}) = 0`));
    const matches = pattern !== undefined && (await holds(everyText(index, pattern)));
    const isUnique = unique === true && (await holds(`count(DISTINCT t${index}) = count(t${index})`));
    const constraints = {...field.constraints, ...(isUnique ? {unique} : {}), ...(matches ? {pattern} : {})};
    const limits = Object.keys(constraints).length > 0 ? {constraints} : {};
    fields.push({...ofType(words, (isOfType && tried[index]) || field), ...limits});
  }
  return {...inferred, fields};
}

/** The type of the last freeze, with its `scale`, where the rows may still be of it; else that which they show. */
function typeToTry(format: Format, field: Field, old: Field = field): Type {
  // The types of Parquet are those of its columns, and doubles do not hold what is inferred to be exact.
  const isOther = format === 'parquet' && old.type !== field.type;
  const isRounded = old.type === 'number' && old.scale === undefined && field.scale !== undefined;
  // CSV is inferred to be text if numbers would lose characters, or make two texts one value.
  const isLossy = format === 'csv' && field.type === 'string' && (old.type === 'integer' || old.type === 'number');
  return isOther || isRounded || isLossy ? field : old;
}

function ofType(field: Field, {type, scale}: Type): Field {
  const members = Object.entries({...field, type, scale}).filter(([, value]) => value !== undefined);
  // The same field with another type, and with a scale only where that has one.
  return Object.fromEntries(members) as unknown as Field;
}

function everyText(index: number, pattern: string): string {
  return `count(*) FILTER (t${index} IS NOT NULL AND NOT regexp_full_match(t${index}, ${literal(pattern)})) = 0`;
}

async function isTrue({database, freeze}: RawList, fields: readonly Field[], predicate: string): Promise<boolean> {
  const [cells] = await database.query(`SELECT ${predicate} FROM (${relation(freeze, fields)})`);
  return cells?.[0] === true;
}
