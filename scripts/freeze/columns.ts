import {InputError, refuse} from '../../shared/fault.ts';
import {fieldName, type FieldType} from '../../build/read/data-package.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import type {Database} from '../../build/rows/database.ts';
import {FIELD_TYPES} from '../../build/rows/field-types.ts';
import {FORMATS} from '../../build/rows/formats.ts';
import {COLUMNS_RULE, MAX_COLUMNS} from '../../build/read/limits.ts';

/** A column as the files have it: its name and the types that its format lets it have, best first. */
export interface Column {
  readonly name: string;
  readonly types: readonly FieldType[];
}

/** In the order in which a column is given one: a column of 0 and 1 holds integers. */
const TEXT_TYPES: readonly FieldType[] = ['integer', 'number', 'boolean', 'date', 'datetime', 'string'];
const MOST_SHAPES = 10_000;

/**
 * The columns of the files. Throws `InputError` where a name is none, or a Parquet column is of a type that rows cannot have.
 *
 * @param names of the columns, where the format is not Parquet
 */
export async function columnsOf(
  database: Database,
  root: string,
  freeze: Freeze,
  names: readonly string[],
): Promise<Column[]> {
  const columns =
    freeze.format === 'parquet'
      ? await parquetColumns(database, root, freeze)
      : names.map((name): Column => ({name, types: TEXT_TYPES}));
  const [file = freeze.folder] = freeze.files;
  const line = freeze.format === 'csv' ? 1 : undefined;
  if (columns.length > MAX_COLUMNS)
    throw new InputError({file, line, field: String(columns.length), rule: COLUMNS_RULE});
  refuse(
    columns.flatMap(({name}, index) =>
      new RegExp(fieldName.pattern, 'u').test(name)
        ? []
        : [{file, line, field: `column ${index + 1}`, value: name, rule: `is not ${fieldName.description}`}],
    ),
  );
  return columns;
}

/**
 * JSON: the members of all rows, those of the first row first. Other formats: none. Throws `InputError` where a row has more than a list
 * may have columns.
 */
export async function memberNames(database: Database, root: string, freeze: Freeze): Promise<string[]> {
  if (freeze.format !== 'json' && freeze.format !== 'ndjson') return [];
  const shapes = await database.query(`
    SELECT names, row FROM (
      SELECT map_keys(members)[:${MAX_COLUMNS + 1}] AS names, min(row) AS row
      FROM (SELECT members, row_number() OVER () AS row FROM ${FORMATS[freeze.format].from(root, freeze, [])})
      GROUP BY names)
    ORDER BY row LIMIT ${MOST_SHAPES}`);
  const [file = freeze.folder] = freeze.files;
  const wide = shapes.find(([names]) => ((names ?? []) as string[]).length > MAX_COLUMNS);
  if (wide) throw new InputError({file, field: `row ${String(wide[1])}: its`, rule: COLUMNS_RULE});
  return [...new Set(shapes.flatMap(([names]) => (names ?? []) as string[]))];
}

async function parquetColumns(database: Database, root: string, freeze: Freeze): Promise<Column[]> {
  const columns = await database.query(`DESCRIBE SELECT * FROM ${FORMATS.parquet.from(root, freeze, [])}`);
  return columns.map(([name, type]) => ({
    name: String(name),
    types: [parquetType(freeze, String(name), String(type))],
  }));
}

function parquetType({files, folder}: Freeze, name: string, physical: string): FieldType {
  const type = TEXT_TYPES.find(candidate => FIELD_TYPES[candidate].parquet.test(physical));
  if (type) return type;
  throw new InputError({
    file: files[0] ?? folder,
    field: `column "${name}"`,
    value: physical,
    rule: 'is a type that rows cannot have: text, whole and other numbers, booleans, dates and timestamps',
  });
}
