import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {DuckDBAppender} from '@duckdb/node-api';
import type {Format} from '../../shared/paths.ts';
import type {ListedColumn} from '../../shared/shapes.ts';
import type {Json, Shape} from '../kinds/kind.ts';
import {identifier, literal} from '../rows/sql.ts';
import type {JsonSchema} from '../read/validator.ts';

/** A format that DuckDB writes. */
export type RowFormat = Exclude<Format, 'json'>;

/** DuckDB's options for writing a file. They are complete, so that the bytes do not depend on the machine or the time. */
const COPY: Readonly<Record<RowFormat, string>> = {
  csv: `FORMAT csv, HEADER true, DELIMITER ',', QUOTE '"', ESCAPE '"', NULLSTR ''`,
  parquet: 'FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 122880, PARQUET_VERSION v1',
};

type ColumnType = NonNullable<ListedColumn['type']>;

/** The DuckDB type of a column, and how the value for a JSON value is appended. */
const COLUMNS = {
  boolean: ['BOOLEAN', 'appendBoolean', Boolean],
  // In a JSON document, an integer that a double cannot represent is a string.
  integer: ['BIGINT', 'appendBigInt', (value: unknown) => BigInt(value as number | string)],
  number: ['DOUBLE', 'appendDouble', Number],
  // A string unchanged, any other value as JSON.
  string: ['VARCHAR', 'appendVarchar', (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))],
} as const satisfies Readonly<Record<ColumnType, readonly [string, keyof DuckDBAppender, (value: unknown) => unknown]>>;

/** Opens a DuckDB that writes rows to files in other formats than JSON. The bytes do not depend on the number of threads. */
export async function openRowFiles(threads = 1) {
  const {openDuckDb} = await import('../rows/duckdb.ts');
  const {connection, close} = await openDuckDb({threads: String(threads)});
  return {
    /** Returns the bytes of a file with these rows, in their order. */
    async bytesOf(rows: readonly Json[], columns: ColumnTypes, format: RowFormat): Promise<Uint8Array> {
      // CSV has only strings: numbers are written as in the JSON document.
      const fields = Object.entries(columns).map(
        ([name, type]) => [name, ...COLUMNS[format === 'csv' ? 'string' : type]] as const,
      );
      const declared = fields.map(([name, type]) => `${identifier(name)} ${type}`).join(', ');
      await connection.run(`CREATE OR REPLACE TABLE written (${declared})`);
      const appender = await connection.createAppender('written');
      for (const row of rows) {
        for (const [name, , append, valueOf] of fields) {
          const found = row[name];
          if (found === null || found === undefined) appender.appendNull();
          else appender[append](valueOf(found) as never);
        }
        appender.endRow();
      }
      appender.closeSync();
      const folder = await mkdtemp(join(tmpdir(), 'row-files-'));
      try {
        const file = join(folder, 'rows');
        await connection.run(`COPY written TO ${literal(file)} (${COPY[format]})`);
        return await readFile(file);
      } finally {
        await rm(folder, {recursive: true});
      }
    },
    [Symbol.dispose]: close,
  };
}

/** Returns why rows with these columns cannot be sold as CSV or Parquet, or undefined. DuckDB column names are case-insensitive. */
export function columnFault(names: readonly string[]): string | undefined {
  const small = names.map(name => name.toLowerCase());
  const odd = names.find((name, index) => name === '' || small.indexOf(small[index] ?? '') < index);
  if (odd === undefined) return undefined;
  return odd === ''
    ? 'need a name for every column, and one is empty'
    : `need column names that differ in more than case, and "${odd}" does not`;
}

export type ColumnTypes = Readonly<Record<string, ColumnType>>;

/** Returns the Parquet types of the columns for sale, by name. */
export function columnTypesOf({row = {}, int64 = []}: Shape): ColumnTypes {
  const columns = Object.entries((row['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  return Object.fromEntries(
    columns.map(([name, schema]) => [name, int64.includes(name) ? 'integer' : columnTypeOf(schema)]),
  );
}

/** Returns the Parquet type of a column from the JSON Schema of its values: string, unless all are boolean, integer or number. */
function columnTypeOf({type}: JsonSchema): ColumnType {
  const [only, ...others] = [type].flat().filter(one => one !== 'null');
  return others.length === 0 && (only === 'boolean' || only === 'integer' || only === 'number') ? only : 'string';
}
