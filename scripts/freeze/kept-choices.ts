import type {Field, TableSchema} from '../../build/read/data-package.ts';
import {relation} from '../../build/rows/relation.ts';
import {literal} from '../../build/rows/sql.ts';
import type {RawList} from './profile.ts';

/**
 * An inferred schema with what the last one says of the same columns and all rows still keep: type, pattern and uniqueness, which somebody
 * may have chosen, and title, description and unit in any case.
 */
export async function keptChoices(list: RawList, inferred: TableSchema, before: TableSchema): Promise<TableSchema> {
  const old = new Map(before.fields.map(field => [field.name, field]));
  // The types of Parquet are those of its columns.
  const isFree = list.freeze.format !== 'parquet';
  const tried = inferred.fields.map(field => ({...field, type: (isFree && old.get(field.name)?.type) || field.type}));
  const fields: Field[] = [];
  for (const [index, field] of inferred.fields.entries()) {
    const {constraints: {pattern, unique} = {}, ...words} = old.get(field.name) ?? field;
    const type = tried[index]?.type ?? field.type;
    const holds = async (predicate: string) => await isTrue(list, tried, predicate);
    const isOfType = type === field.type || (await holds(`count(*) FILTER (w${index}) = 0`));
    const matches = pattern !== undefined && (await holds(everyText(index, pattern)));
    const isUnique = unique === true && (await holds(`count(DISTINCT t${index}) = count(t${index})`));
    const constraints = {...field.constraints, ...(isUnique ? {unique} : {}), ...(matches ? {pattern} : {})};
    const limits = Object.keys(constraints).length > 0 ? {constraints} : {};
    fields.push({...words, type: isOfType ? type : field.type, ...limits});
  }
  return {...inferred, fields};
}

function everyText(index: number, pattern: string): string {
  return `count(*) FILTER (t${index} IS NOT NULL AND NOT regexp_full_match(t${index}, ${literal(pattern)})) = 0`;
}

async function isTrue(
  {database, root, freeze}: RawList,
  fields: readonly Field[],
  predicate: string,
): Promise<boolean> {
  const [cells] = await database.query(`SELECT ${predicate} FROM (${relation(root, freeze, fields)})`);
  return cells?.[0] === true;
}
