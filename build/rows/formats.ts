import {join} from 'node:path';
import type {Field, Format} from '../read/data-package.ts';
import type {Freeze} from '../read/freezes.ts';
import {identifier, literal, literals} from './sql.ts';

/** How a list is read, this time. */
export interface Reading {
  /** Further arguments of DuckDB's reader, e.g. `, store_rejects = true`. */
  readonly options?: string;
  /**
   * In the quicker of two ways: CSV by several threads, by default only where none begins in the middle of a file (`isLong`); NDJSON by
   * the names of the schema alone. What comes of it is right where it `agrees` with the bytes of the files.
   */
  readonly quick?: boolean;
}

/** How DuckDB reads the files of a format. */
export interface FormatRules {
  /** SQL of the reader. */
  from(root: string, freeze: Freeze, fields: readonly Field[], reading?: Reading): string;
  /** SQL of a field's text as it stands in the file, NULL where nothing stands. */
  text(field: Field, index: number): string;
  /** Predicate that is true where the value has the wrong kind for its field, before its text is looked at. */
  wrongKind?(field: Field): string;
  /** Predicate that is true of a row that is not of the table's form, with the SQL of what stands there. */
  misshapen?(fields: readonly Field[]): {readonly broken: string; readonly shown: string; readonly rule: string};
}

/** No line of CSV may be longer. */
const MAX_LINE_BYTES = 2 << 20;
/** What a thread reads at a time: it fits the processor's cache, as DuckDB's own choice, 32 MB, does not. */
export const BUFFER_BYTES = 2 * MAX_LINE_BYTES;

/** Whether the files of a list are gzip: all of them are, or none. */
export function isPacked({files}: Freeze): boolean {
  return files[0]?.endsWith('.gz') === true;
}

/** Whether a list is longer than what a thread reads at a time, or may be, packed as it is. */
export function isLong(freeze: Freeze): boolean {
  return freeze.bytes > BUFFER_BYTES || isPacked(freeze);
}

/** How DuckDB reads the files of a freeze, this time. */
export function formatOf({format}: Freeze, {quick}: Reading = {}): FormatRules {
  return quick && format === 'ndjson' ? byNames : FORMATS[format];
}

export const FORMATS: Readonly<Record<Format, FormatRules>> = {
  csv: {
    from(root, freeze, fields, {options = '', quick = !isLong(freeze)} = {}) {
      const threads = quick ? `buffer_size = ${BUFFER_BYTES}` : 'parallel = false';
      const columns = fields.map((_, index) => `c${index}: 'VARCHAR'`).join(', ');
      return `read_csv(${paths(root, freeze)}, header = true, auto_detect = false, delim = ${literal(freeze.delimiter)}, quote = '"', escape = '"',
        compression = ${compression(freeze)}, columns = {${columns}}, hive_partitioning = false, max_line_size = ${MAX_LINE_BYTES}, ${threads}${options})`;
    },
    text: (_, index) => `c${index}`,
  },
  ndjson: json('newline_delimited'),
  json: json('array'),
  parquet: {
    from: (root, freeze, _, {options = ''} = {}) =>
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

/** Each row as a map of raw JSON, so that unknown members and values of the wrong JSON type are seen. */
function json(format: 'newline_delimited' | 'array'): FormatRules {
  const raw = (field: Field) => `members[${literal(field.name)}]`;
  return {
    from: (root, freeze, _, {options = ''} = {}) =>
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

/** NDJSON without a look at other members than the schema's, or at whether a text is one. */
const byNames: FormatRules = {
  from(root, freeze, fields) {
    const columns = fields.map(({name}) => `${literal(name)}: 'VARCHAR'`).join(', ');
    return `read_json(${paths(root, freeze)}, format = 'newline_delimited', records = true, compression = ${compression(freeze)},
      hive_partitioning = false, columns = {${columns}})`;
  },
  text: ({name}) => identifier(name),
};

/** Paths of files that exist are taken as they are, wildcards included. */
function paths(root: string, freeze: Freeze): string {
  return literals(freeze.files.map(file => join(root, file)));
}

function compression(freeze: Freeze): string {
  return isPacked(freeze) ? `'gzip'` : `'uncompressed'`;
}
