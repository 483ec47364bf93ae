import {join} from 'node:path';
import type {Field, Format} from '../read/data-package.ts';
import type {Freeze} from '../read/freezes.ts';
import {identifier, literal, literals} from './sql.ts';

/** How DuckDB reads the files of a format. */
export interface FormatRules {
  /**
   * SQL of the reader.
   *
   * @param options further arguments of DuckDB's function, e.g. `, store_rejects = true`
   */
  from(root: string, freeze: Freeze, fields: readonly Field[], options?: string): string;
  /** SQL of a field's text as it stands in the file, NULL where nothing stands. */
  text(field: Field, index: number): string;
  /** Predicate that is true where the value has the wrong kind for its field, before its text is looked at. */
  wrongKind?(field: Field): string;
  /** Predicate that is true of a row that is not of the table's form, with the SQL of what stands there. */
  misshapen?(fields: readonly Field[]): {readonly broken: string; readonly shown: string; readonly rule: string};
}

/** No line of CSV may be longer. */
const MAX_LINE_BYTES = 2 << 20;
/** What each of several threads reads at a time: it fits the processor's cache, as DuckDB's own choice, 32 MB, does not. */
export const BUFFER_BYTES = 2 * MAX_LINE_BYTES;

/** Whether the files of a list are gzip: all of them are, or none. */
export function isPacked({files}: Freeze): boolean {
  return files[0]?.endsWith('.gz') === true;
}

/** Whether a list is longer than what a thread reads at a time, or may be, packed as it is. */
export function isLong(freeze: Freeze): boolean {
  return freeze.bytes > BUFFER_BYTES || isPacked(freeze);
}

/** How DuckDB reads each format with care. */
export const FORMATS: Readonly<Record<Format, FormatRules>> = {
  csv: csv('parallel = false'),
  ndjson: json('newline_delimited'),
  json: json('array'),
  parquet: {
    from: (root, freeze, _, options = '') =>
      `read_parquet(${paths(root, freeze)}, hive_partitioning = false${options})`,
    text: ({name, type}) => {
      const column = identifier(name);
      if (type === 'string') return column;
      const text = `CAST(${column} AS VARCHAR)`;
      // A moment with a zone is shown in UTC, as `2026-05-01 12:00:00+00`.
      return type === 'datetime' ? `replace(replace(${text}, ' ', 'T'), '+00', 'Z')` : text;
    },
  },
};

/** CSV read by several threads, of which each but the first begins in the middle: where there are quotation marks, it can only guess. */
export const CSV_BY_THREADS = csv(`buffer_size = ${BUFFER_BYTES}`);

function csv(threads: string): FormatRules {
  return {
    from(root, freeze, fields, options = '') {
      const columns = fields.map((_, index) => `c${index}: 'VARCHAR'`).join(', ');
      return `read_csv(${paths(root, freeze)}, header = true, auto_detect = false, delim = ${literal(freeze.delimiter)}, quote = '"', escape = '"',
        compression = ${compression(freeze)}, columns = {${columns}}, hive_partitioning = false, max_line_size = ${MAX_LINE_BYTES}, ${threads}${options})`;
    },
    text: (_, index) => `c${index}`,
  };
}

/** Each row as a map of raw JSON, so that unknown members and values of the wrong JSON type are seen. */
function json(format: 'newline_delimited' | 'array'): FormatRules {
  const raw = (field: Field) => `members[${literal(field.name)}]`;
  return {
    from: (root, freeze, _, options = '') =>
      `read_json(${paths(root, freeze)}, format = '${format}', records = false, compression = ${compression(freeze)},
        hive_partitioning = false, columns = {members: 'MAP(VARCHAR, JSON)'}${options})`,
    text: field => `(${raw(field)} ->> '$')`,
    wrongKind(field) {
      if (field.type === 'boolean') return `${raw(field)} NOT IN ('true', 'false')`;
      return `${field.type === 'integer' || field.type === 'number' ? '' : 'NOT '}starts_with(${raw(field)}, '"')`;
    },
    misshapen(fields) {
      const names = literals(fields.map(field => field.name));
      return {
        // Outside of a filter DuckDB evaluates all sides of AND and OR for every row; of CASE only what it needs.
        broken: `CASE WHEN members IS NULL THEN true WHEN map_keys(members) = ${names} THEN false
          ELSE len(list_distinct(map_keys(members))) <> cardinality(members) OR NOT list_has_all(${names}, map_keys(members)) END`,
        shown: "array_to_string(map_keys(members), ', ')",
        rule: `is not an object whose members are among ${fields.map(field => field.name).join(', ')}, each once`,
      };
    },
  };
}

/** Paths of files that exist are taken as they are, wildcards included. */
export function paths(root: string, freeze: Freeze): string {
  return literals(freeze.files.map(file => join(root, file)));
}

function compression(freeze: Freeze): string {
  return isPacked(freeze) ? `'gzip'` : `'uncompressed'`;
}
