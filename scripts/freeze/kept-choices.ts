import type {Format} from '../../build/read/data-package.ts';
import {given, type Field, type TableSchema} from '../../build/read/table-schema.ts';
import {relation} from '../../build/rows/relation.ts';
import {COLUMNS, literal} from '../../build/rows/sql.ts';
import type {RawList} from './profile.ts';

type Type = Pick<Field, 'type' | 'scale'>;

/**
 * Returns an inferred schema with the choices of the last schema that all rows still satisfy: type, pattern, classes and uniqueness, which
 * the publisher may have edited. Title, description and unit are always kept. An optional column stays optional, because a later list may
 * lack a value again, which schemas of products would then have to allow.
 */
export async function keptChoices(list: RawList, inferred: TableSchema, before: TableSchema): Promise<TableSchema> {
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
