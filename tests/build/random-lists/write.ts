import {gzipSync} from 'node:zlib';
import {parquet} from '../bad-input/write-parquet.ts';
import type {ListRow} from './list.ts';
import type {Random} from './random.ts';

interface FieldName {
  readonly name: string;
  readonly type: string;
}

/** A written form of a list. */
export interface Writing {
  readonly name: string;
  readonly format: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly delimiter?: string;
}

/**
 * Writes a list as CSV, NDJSON, a JSON array and Parquet. Files, compression, line ends, quotes, order and indents are
 * random.
 */
export async function writings(
  rows: readonly ListRow[],
  fields: readonly FieldName[],
  random: Random,
): Promise<readonly Writing[]> {
  const delimiter = random.pick([',', ';', '|', '\t']);
  const parts = partsOf(rows, random);
  return [
    {...packed('csv', parts.map(part => csvOf(part, fields, delimiter, random)), random), delimiter}, // prettier-ignore
    packed('ndjson', parts.map(part => ndjsonOf(part, random)), random), // prettier-ignore
    packed('json', parts.map(part => JSON.stringify(part, null, random.below(3))), random), // prettier-ignore
    await parquetOf(parts, fields),
  ];
}

/** Splits a list into one to three consecutive parts, which may be empty. */
function partsOf(rows: readonly ListRow[], random: Random): ListRow[][] {
  const cuts = Array.from({length: random.below(3)}, () => random.below(rows.length + 1)).sort((a, b) => a - b);
  return [0, ...cuts].map((start, index) => rows.slice(start, cuts[index] ?? rows.length));
}

function packed(format: string, texts: readonly string[], random: Random): Writing {
  const gzip = random.chance(0.5);
  const files = texts.map((text, index): [string, string | Uint8Array] =>
    gzip ? [`${index}.${format}.gz`, gzipSync(text)] : [`${index}.${format}`, text],
  );
  return {name: `${files.length} ${gzip ? 'gzip' : 'plain'} ${format}`, format, files: Object.fromEntries(files)};
}

/** Writes RFC 4180, with quotation marks if necessary, and sometimes without need. */
function csvOf(rows: readonly ListRow[], fields: readonly FieldName[], delimiter: string, random: Random): string {
  const lineEnd = random.pick(['\n', '\r\n']);
  const cell = (value: ListRow[string]) => {
    const text = value === null ? '' : String(value);
    const quoted = /["\r\n,;|\t]|^\s|\s$/.test(text) || (text !== '' && random.chance(0.3));
    return quoted ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [
    fields.map(({name}) => cell(name)),
    ...rows.map(row => fields.map(({name}) => cell(row[name] ?? null))),
  ].map(cells => cells.join(delimiter));
  const mark = random.chance(0.2) ? '\ufeff' : '';
  return mark + lines.join(lineEnd) + random.pick([lineEnd, lineEnd, lineEnd.repeat(3), '']);
}

/**
 * Members are in random order, and lines may be blank. No member is missing, because a missing member differs from
 * null.
 */
function ndjsonOf(rows: readonly ListRow[], random: Random): string {
  const lines = rows.map(row => {
    const members = Object.entries(row);
    const ordered = random.chance(0.5) ? members : members.reverse();
    return JSON.stringify(Object.fromEntries(ordered)) + random.pick(['\n', '\r\n', '\n\n']);
  });
  return lines.join('') + random.pick(['', ' ', '\n\n', ' \t\r\n ']);
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
};

async function parquetOf(parts: readonly ListRow[][], fields: readonly FieldName[]): Promise<Writing> {
  const files: Record<string, Uint8Array> = {};
  for (const [index, part] of parts.entries()) files[`${index}.parquet`] = await parquet(queryOf(part, fields));
  return {name: `${parts.length} parquet`, format: 'parquet', files};
}

function queryOf(rows: readonly ListRow[], fields: readonly FieldName[]): string {
  const columns = fields.map(({name, type}) => `CAST(NULL AS ${TYPES[type] ?? ''}) AS "${name}"`).join(', ');
  const values = rows.map(row => fields.map(({name, type}) => literalOf(row[name] ?? null, type)).join(', '));
  const none = `SELECT ${columns} WHERE false`;
  return [none, ...values.map(list => `SELECT ${list}`)].join(' UNION ALL ');
}

function literalOf(value: ListRow[string], type: string): string {
  return value === null ? 'NULL' : `CAST('${String(value).replaceAll("'", "''")}' AS ${TYPES[type] ?? ''})`;
}
