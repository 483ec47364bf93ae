import type {Shape} from '../kinds/kind.ts';
import type {JsonSchema} from '../read/validator.ts';
import type {ColumnType} from './row-files.ts';

export type ColumnTypes = Readonly<Record<string, ColumnType>>;

/** The types in Parquet files of the columns that a product sells, by their names. */
export function columnTypesOf({row = {}, int64 = []}: Shape): ColumnTypes {
  const columns = Object.entries((row['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  return Object.fromEntries(
    columns.map(([name, schema]) => [name, int64.includes(name) ? 'integer' : columnTypeOf(schema)]),
  );
}

/** The type in Parquet files of a column by the JSON Schema of its values: a text, unless they are all boolean, integer or number. */
export function columnTypeOf({type}: JsonSchema): ColumnType {
  const [only, ...others] = [type].flat().filter(one => one !== 'null');
  return others.length === 0 && (only === 'boolean' || only === 'integer' || only === 'number') ? only : 'string';
}
