import {join} from 'node:path';
import type {Format} from '../read/data-package.ts';
import {NESTED_TYPES, type Field} from '../read/table-schema.ts';
import type {FrozenList} from '../read/freezes.ts';
import {MAX_COLUMNS, MAX_PARSED_BYTES} from '../read/limits.ts';
import {isMarked, marked, textOfMarked} from './json-functions.ts';
import {identifier, literal, literals, asText} from './sql.ts';
import type {RowRule} from './table.ts';

/** How DuckDB reads the files of a format. */
export interface FormatRules {
  /** SQL of the reader, with further arguments of DuckDB's function, for example `, store_rejects = true`. */
  from(freeze: FrozenList, fields: readonly Field[], options?: string): string;
  /** SQL of a field's text in the file, or NULL. */
  text(field: Field, index: number): string;
  /** A predicate that is true if the value is a string, which may represent a missing value. Undefined if every value is. */
  isText?(field: Field): string;
  /** A predicate that is true if the value has the wrong kind for its field, which is checked before its text. */
  wrongKind?(field: Field): string;
  /** A predicate that is true if a row lacks the member. Undefined if rows always have all members. */
  missing?(field: Field): string;
  /** A predicate that is true if a row does not have the structure of the table, with the SQL of the text for the error. */
  misshapen?(fields: readonly Field[]): Pick<RowRule, 'broken' | 'shown' | 'rule' | 'fix'>;
}

const MAX_LINE_BYTES = 2 << 20;
/** The bytes that each of several threads reads at a time. They fit the processor's cache, unlike DuckDB's default of 32 MB. */
const BUFFER_BYTES = 2 * MAX_LINE_BYTES;

/** True if the files of a list are gzip. Either all of them are, or none. */
export function isPacked({files}: FrozenList): boolean {
  return files[0]?.endsWith('.gz') === true;
}

/** True if a list may be longer than what a thread reads at a time. The unpacked size of gzip is not known, so it counts as long. */
export function isLong(freeze: FrozenList): boolean {
  return freeze.bytes > BUFFER_BYTES || isPacked(freeze);
}

/** How DuckDB reads each format reliably. */
export const FORMATS: Readonly<Record<Format, FormatRules>> = {
  csv: csvRules('parallel = false'),
  ndjson: jsonRules('newline_delimited'),
  json: jsonRules('array'),
  parquet: {
    from: (freeze, _, options = '') => `read_parquet(${paths(freeze)}, hive_partitioning = false${options})`,
    isText: ({type}) => String(type === 'string'),
    text: ({name, type}) => {
      const column = identifier(name);
      if (NESTED_TYPES.includes(type)) return `nested_json(${column})`;
      if (type === 'number') return asText(column);
      const text = `CAST(${column} AS VARCHAR)`;
      // DuckDB shows a timestamp with time zone in UTC, as `2026-05-01 12:00:00+00`.
      return type === 'datetime' ? `replace(replace(${text}, ' ', 'T'), '+00', 'Z')` : text;
    },
  },
};

/** CSV read by several threads, most of which start in the middle. This is reliable only without quotation marks. */
export const CSV_BY_THREADS = csvRules(`buffer_size = ${BUFFER_BYTES}`);

function csvRules(threads: string): FormatRules {
  return {
    from(freeze, fields, options = '') {
      const columns = fields.map((_, index) => `c${index}: 'VARCHAR'`).join(', ');
      return `read_csv(${paths(freeze)}, header = true, auto_detect = false, delim = ${literal(freeze.delimiter)}, quote = '"', escape = '"',
        compression = ${compression(freeze)}, columns = {${columns}}, hive_partitioning = false, max_line_size = ${MAX_LINE_BYTES}, ${threads}${options})`;
    },
    text: (_, index) => `c${index}`,
  };
}

/** Only rows of more bytes than this are checked for too many members. */
const LONG_ROW = 1 << 14;

/** Each row is a map of raw JSON, so that unknown members and values of the wrong JSON type are detected. */
function jsonRules(format: 'newline_delimited' | 'array'): FormatRules {
  const raw = (field: Field) => `members[${literal(field.name)}]`;
  return {
    from(freeze, fields, options = '') {
      const read = (as: string, further = '') =>
        `read_json_objects(${paths(freeze)}, format = '${as}', compression = ${compression(freeze)},
          hive_partitioning = false${further}${options})`;
      const rows =
        freeze.property === undefined
          ? `(SELECT * REPLACE (${marked('json')} AS json) FROM ${read(format)})`
          : `(SELECT * REPLACE (unnest(json_extract(${marked('json')}, ${literal(jsonPathOf(freeze.property))})) AS json)
              FROM ${read('unstructured', `, maximum_object_size = ${MAX_PARSED_BYTES}`)})`;
      // A map of tens of thousands of members, times the rows of a vector, takes gigabytes. A list cannot have such a row.
      const short =
        fields.length === 0
          ? 'json'
          : `CASE WHEN strlen(json) > ${LONG_ROW} AND len(json_keys(json)) > ${MAX_COLUMNS} THEN NULL ELSE json END`;
      return `(SELECT * EXCLUDE (json), CAST(${short} AS MAP(VARCHAR, JSON)) AS members FROM ${rows})`;
    },
    text: field => `(${textOfMarked(raw(field))})`,
    isText: field => `(starts_with(${raw(field)}, '"') AND NOT ${isMarked(raw(field))})`,
    wrongKind(field) {
      const value = raw(field);
      const isText = `starts_with(${value}, '"')`;
      if (field.type === 'boolean') return `${value} NOT IN ('true', 'false')`;
      if (NESTED_TYPES.includes(field.type)) return `NOT regexp_matches(${value}, '^[[{]')`;
      if (field.type === 'integer' || field.type === 'number') return `(${isText} AND NOT ${isMarked(value)})`;
      return `(NOT ${isText} OR ${isMarked(value)})`;
    },
    missing: ({name}) => `NOT coalesce(map_contains(members, ${literal(name)}), false)`,
    misshapen(fields) {
      const names = literals(fields.map(field => field.name));
      return {
        // Outside of a filter DuckDB evaluates all operands of AND and OR for every row, but only the needed branches of CASE.
        broken: `CASE WHEN members IS NULL THEN true WHEN map_keys(members) = ${names} THEN false
          ELSE len(list_distinct(map_keys(members))) <> cardinality(members) OR NOT list_has_all(${names}, map_keys(members)) END`,
        shown: "array_to_string(map_keys(members), ', ')",
        rule: `is not an object whose members are among ${fields.map(field => field.name).join(', ')}, each once`,
        fix: 'Write each row as an object. Remove members that occur twice in it, and those that the schema does not have.',
      };
    },
  };
}

function jsonPathOf(property: string): string {
  const members = property.split('.').map(name => `."${name}"`);
  return `$${members.join('')}[*]`;
}

/** Returns the paths of a freeze as an SQL list. DuckDB does not expand wildcards in paths that exist. */
export function paths(freeze: FrozenList): string {
  return literals(freeze.files.map(file => join(freeze.root, file)));
}

function compression(freeze: FrozenList): string {
  return isPacked(freeze) ? `'gzip'` : `'uncompressed'`;
}
