import type {Format} from '../read/data-package.ts';
import {type Field, textsOf} from '../read/table-schema.ts';
import type {FrozenList} from '../read/freezes.ts';
import type {Database} from './database.ts';
import {typeRules} from './field-types.ts';
import {FORMATS, type FormatRules} from './formats.ts';
import {LOSSY} from './number-forms.ts';
import type {Table} from './table.ts';
import {COLUMNS, literals} from './sql.ts';

/** A table and the database that reads its files. */
export interface List {
  readonly database: Database;
  readonly table: Table;
}

/** Differences from the default reading of a freeze. */
export interface Reading {
  readonly format?: FormatRules;
  /** Further arguments of DuckDB's reader. */
  readonly options?: string;
  /** Further columns, for example `, x AS y`. */
  readonly columns?: string;
}

/** Returns SQL for the text of a column, NULL if the value is absent or its text represents a missing value. */
export function columnText(
  freeze: FrozenList,
  field: Field,
  index: number,
  format: FormatRules = FORMATS[freeze.format],
): string {
  const [text, isText] = [format.text(field, index), format.isText?.(field) ?? 'true'];
  // The CSV reader returns NULL for every empty value.
  const isEmptyValue = freeze.format === 'csv' && !missingTexts(freeze, field).includes('');
  const value = isEmptyValue ? `coalesce(${text}, '')` : text;
  const markers = markersOf(freeze, field);
  if (markers.length === 0 || isText === 'false') return value;
  const isMarker = `list_contains(${literals(markers)}, ${value})`;
  return `CASE WHEN ${isText === 'true' ? isMarker : `CASE WHEN ${isText} THEN ${isMarker} ELSE false END`} THEN NULL ELSE ${value} END`;
}

/** Returns the SQL name of the unchanged text of a column, which is not NULL if it represents a missing value. */
export function rawName(freeze: FrozenList, field: Field, index: number): string {
  return hasMarkers(freeze, field) ? COLUMNS.raw(index) : COLUMNS.text(index);
}

/** Returns SQL for the rows of a freeze, with `COLUMNS` for each field. `misshapen` and `shape` are for rows of another structure. */
export function relation(
  freeze: FrozenList,
  fields: readonly Field[],
  {format = FORMATS[freeze.format], options, columns = ''}: Reading = {},
): string {
  const misshapen = format.misshapen?.(fields);
  return `SELECT t.*, ${fields.map((field, index) => valueColumns(field, index, freeze.format)).join(', ')}
    FROM (SELECT ${fields.map((field, index) => `${textColumns(freeze, field, index, format)}, ${format.wrongKind?.(field) ?? 'false'} AS ${COLUMNS.isWrongKind(index)}, ${format.missing?.(field) ?? 'false'} AS ${COLUMNS.isAbsent(index)}`).join(', ')},
      ${misshapen?.broken ?? 'false'} AS misshapen, ${misshapen?.shown ?? 'NULL'} AS shape${columns}
      FROM ${format.from(freeze, fields, options)}) AS t`;
}

/** Returns SQL for the rows of a list. */
export function rowsOf({table}: List, reading?: Reading): string {
  return relation(table.freeze, table.fields, reading);
}

function textColumns(freeze: FrozenList, field: Field, index: number, format: FormatRules): string {
  const text = `${columnText(freeze, field, index, format)} AS ${COLUMNS.text(index)}`;
  return hasMarkers(freeze, field) ? `${text}, ${format.text(field, index)} AS ${COLUMNS.raw(index)}` : text;
}

function valueColumns(field: Field, index: number, format: Format): string {
  const {value, valid} = typeRules(field);
  const text = COLUMNS.text(index);
  const wrongType = valid ? `NOT coalesce(${valid(text, `(${value(text)})`)}, false)` : 'false';
  const isNumber = field.type === 'integer' || field.type === 'number';
  const lossy = format === 'csv' && isNumber ? ` OR regexp_full_match(${text}, '${LOSSY}')` : '';
  return `${value(text)} AS ${COLUMNS.value(index)}, (${text} IS NOT NULL AND (${COLUMNS.isWrongKind(index)} OR ${wrongType}${lossy})) AS ${COLUMNS.isWrong(index)}`;
}

/** True if the text of a column may differ from the file, because one of its strings represents a missing value. */
export function hasMarkers(freeze: FrozenList, field: Field): boolean {
  return markersOf(freeze, field).length > 0;
}

function markersOf(freeze: FrozenList, field: Field): readonly string[] {
  return missingTexts(freeze, field).filter(text => freeze.format !== 'csv' || text !== '');
}

/** The strings that represent a missing value in a column. Those of the column replace those of the schema. */
function missingTexts({missing}: FrozenList, {missingValues}: Field): readonly string[] {
  return missingValues ? textsOf(missingValues) : missing;
}
