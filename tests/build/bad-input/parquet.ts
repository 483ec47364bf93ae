import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {PROJECT} from '../../project.ts';
import {DENY_SCHEMA} from '../site-fixture.ts';
import {below, DENY, type BadInput} from './bad-input.ts';
import {FOLDER, split, type Files} from './deny-list.ts';
import {parquet} from './write-parquet.ts';

type Says = BadInput['says'];

const files = (name: string, contents: Files, says: Says) => split(name, contents, says, {format: 'parquet'});
/** Makes a deny list with the rows of a query. */
const columns = (
  name: string,
  query: string,
  says: Says,
  fields: readonly object[] = DENY_SCHEMA.fields,
): BadInput => ({
  name,
  breaks: async site =>
    site.freeze({
      ...DENY,
      files: {'rows.parquet': await parquet(query)},
      format: 'parquet',
      resource: {schema: {...DENY_SCHEMA, fields}},
    }),
  says: below(FOLDER, says),
});
const row = (url: string, klass: string) => `SELECT ${url} AS url, ${klass} AS class`;

export const parquets: readonly BadInput[] = [
  {
    name: 'with columns that differ in case only, by the names that DuckDB gives them',
    breaks: async site => {
      const bytes = await readFile(join(PROJECT, 'tests/lists/parquet/twins.parquet'));
      const fields = ['url', 'class', 'class_1', 'class_1_1'].map(name => ({
        name,
        type: 'string',
        ...(name === 'class' && {constraints: {enum: ['dead', 'fraud', 'soft_fail']}}),
      }));
      await site.freeze({
        ...DENY,
        files: {'rows.parquet': bytes},
        format: 'parquet',
        resource: {schema: {fields, primaryKey: ['url']}},
      });
    },
    says: below(FOLDER, 'rows.parquet: columns cannot be read: the names "class" and "Class" differ only in case'),
  },
  files(
    'that is CSV',
    {'rows.parquet': 'url,class\n'},
    `rows.parquet is not Parquet: File 'rows.parquet' too small to be a Parquet file`,
  ),
  files(
    'that is empty',
    {'rows.parquet': ''},
    `rows.parquet is not Parquet: File 'rows.parquet' too small to be a Parquet file`,
  ),
  files(
    'that is gzip',
    {'rows.parquet.gz': gzipSync('PAR1')},
    'datapackage.json:7: resources[0].path "rows.parquet.gz" is gzip, which Parquet cannot be',
  ),
  files(
    'of the right beginning and end only',
    {'rows.parquet': 'PAR1 nothing PAR1'},
    `rows.parquet is not Parquet: Footer length error in file 'rows.parquet'`,
  ),
  {
    name: 'that is cut off',
    breaks: async site => {
      const bytes = await parquet(row("'https://a.example/'", "'dead'"));
      await site.freeze({...DENY, files: {'rows.parquet': bytes.subarray(0, bytes.length - 20)}, format: 'parquet'});
    },
    says: `data/sources/deny-list/2026-05-01/rows.parquet is not Parquet: No magic bytes found at end of file 'rows.parquet'`,
  },
  {
    name: 'whose data are overwritten',
    breaks: async site => {
      const bytes = await parquet(
        "SELECT 'https://' || i || '.example/' AS url, 'dead' AS class FROM range(1000) AS r(i)",
      );
      await site.freeze({...DENY, files: {'rows.parquet': Buffer.from(bytes).fill(0xff, 8, 1000)}, format: 'parquet'});
    },
    says: 'data/sources/deny-list/2026-05-01/rows.parquet cannot be read: Variable-length int over 10 bytes.',
  },
  columns(
    'a column too many',
    "SELECT 'https://a.example/' AS url, 'dead' AS class, 1 AS x",
    'rows.parquet: columns "url, class, x" are not url, class',
  ),
  columns('a column too few', "SELECT 'https://a.example/' AS url", 'rows.parquet: columns "url" are not url, class'),
  columns(
    'columns in another order',
    "SELECT 'dead' AS class, 'https://a.example/' AS url",
    'rows.parquet: columns "class, url" are not url, class',
  ),
  columns(
    'columns in capitals',
    "SELECT 'https://a.example/' AS URL, 'dead' AS CLASS",
    'rows.parquet: columns "URL, CLASS" are not url, class',
  ),
  columns(
    'a number for a text',
    row("'https://a.example/'", '1'),
    'rows.parquet: column "class" "INTEGER" is not of type string',
  ),
  columns(
    'bytes for a text',
    row("'https://a.example/'", "'dead'::BLOB"),
    'rows.parquet: column "class" "BLOB" is not of type string',
  ),
  columns(
    'a list for a text',
    row("'https://a.example/'", "['dead']"),
    'rows.parquet: column "class" "VARCHAR[]" is not of type string',
  ),
  columns(
    'a text for a number',
    `${row("'https://a.example/'", "'dead'")}, '1' AS x`,
    'rows.parquet: column "x" "VARCHAR" is not of type integer',
    [...DENY_SCHEMA.fields, {name: 'x', type: 'integer'}],
  ),
  columns(
    'a fraction for an integer',
    `${row("'https://a.example/'", "'dead'")}, 1.5::DOUBLE AS x`,
    'rows.parquet: column "x" "DOUBLE" is not of type integer',
    [...DENY_SCHEMA.fields, {name: 'x', type: 'integer'}],
  ),
  columns(
    'a number that is NaN',
    `${row("'https://a.example/'", "'dead'")}, 'NaN'::DOUBLE AS x`,
    'rows.parquet: row 1 x "nan" is not a finite number',
    [...DENY_SCHEMA.fields, {name: 'x', type: 'number'}],
  ),
  columns(
    'a struct with a member __proto__',
    `${row("'https://a.example/'", "'dead'")}, {'__proto__': 1} AS x`,
    'rows.parquet: row 1 x "{\\"__proto__\\":null}" contains a member called __proto__',
    [...DENY_SCHEMA.fields, {name: 'x', type: 'object'}],
  ),
  columns(
    'an integer that JSON cannot represent',
    `${row("'https://a.example/'", "'dead'")}, 9007199254740993::BIGINT AS x`,
    'rows.parquet: row 1 x "9007199254740993" is not an integer within ±(2^53 - 1)',
    [...DENY_SCHEMA.fields, {name: 'x', type: 'integer'}],
  ),
  columns(
    'a timestamp for a date',
    `${row("'https://a.example/'", "'dead'")}, TIMESTAMP '2026-01-01 10:00:00' AS x`,
    'rows.parquet: column "x" "TIMESTAMP" is not of type date',
    [...DENY_SCHEMA.fields, {name: 'x', type: 'date'}],
  ),
  columns(
    'a date without end',
    `${row("'https://a.example/'", "'dead'")}, DATE 'infinity' AS x`,
    'rows.parquet: row 1 x "infinity" is not a date that exists, YYYY-MM-DD',
    [...DENY_SCHEMA.fields, {name: 'x', type: 'date'}],
  ),
  columns(
    'a date before our era',
    `${row("'https://a.example/'", "'dead'")}, DATE '0044-03-15 (BC)' AS x`,
    'rows.parquet: row 1 x "0044-03-15 (BC)" is not a date that exists, YYYY-MM-DD',
    [...DENY_SCHEMA.fields, {name: 'x', type: 'date'}],
  ),
  columns(
    'a class that is not in the schema',
    `${row("'https://a.example/'", "'dead'")} UNION ALL ${row("'https://b.example/'", "'ded'")}`,
    'rows.parquet: row 2 class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  columns('a missing key', row('NULL::VARCHAR', "'dead'"), 'rows.parquet: row 1 url is missing'),
  columns(
    'a duplicate key',
    `${row("'https://a.example/'", "'dead'")} UNION ALL ${row("'https://a.example/'", "'fraud'")}`,
    'rows.parquet: row 2 url "https://a.example/" occurs twice: first in row 1',
  ),
  columns(
    'a bad row and columns called like those of the reader',
    `${row("'https://a.example/'", "'ded'")}, 'x' AS filename, 'y' AS file, 'z' AS t0, 'z' AS v1, 'z' AS n`,
    'rows.parquet: row 1 class "ded" is not one of fraud, dead, unable_verify, soft_fail',
    [...DENY_SCHEMA.fields, ...['filename', 'file', 't0', 'v1', 'n'].map(name => ({name, type: 'string'}))],
  ),
  {
    name: 'with other columns in the second file',
    breaks: async site =>
      site.freeze({
        ...DENY,
        files: {
          'a.parquet': await parquet(row("'https://a.example/'", "'dead'")),
          'b.parquet': await parquet("SELECT 'https://b.example/' AS uri, 'dead' AS class"),
        },
        format: 'parquet',
      }),
    says: 'data/sources/deny-list/2026-05-01/b.parquet: columns "uri, class" are not url, class',
  },
  {
    name: 'with other types in the second file',
    breaks: async site =>
      site.freeze({
        ...DENY,
        files: {
          'a.parquet': await parquet(row("'https://a.example/'", "'dead'")),
          'b.parquet': await parquet(row('1', "'dead'")),
        },
        format: 'parquet',
      }),
    says: 'data/sources/deny-list/2026-05-01/b.parquet: column "url" "INTEGER" is not of type string',
  },
  {
    name: 'with columns in another order in the second file',
    breaks: async site =>
      site.freeze({
        ...DENY,
        files: {
          'a.parquet': await parquet(row("'https://a.example/'", "'dead'")),
          'b.parquet': await parquet("SELECT 'dead' AS class, 'https://b.example/' AS url"),
        },
        format: 'parquet',
      }),
    says: 'data/sources/deny-list/2026-05-01/b.parquet: columns "class, url" are not url, class',
  },
  {
    name: 'with a fraction where the first file has whole numbers',
    breaks: async site =>
      site.freeze({
        ...DENY,
        files: {
          'a.parquet': await parquet(`${row("'https://a.example/'", "'dead'")}, 1::INTEGER AS x`),
          'b.parquet': await parquet(`${row("'https://b.example/'", "'dead'")}, 1.5::DOUBLE AS x`),
        },
        format: 'parquet',
        resource: {schema: {...DENY_SCHEMA, fields: [...DENY_SCHEMA.fields, {name: 'x', type: 'number'}]}},
      }),
    says: 'data/sources/deny-list/2026-05-01/b.parquet: column "x" "DOUBLE" is not INTEGER, as in the first file',
  },
  {
    name: 'with a bad row in the second file',
    breaks: async site =>
      site.freeze({
        ...DENY,
        files: {
          'a.parquet': await parquet(row("'https://a.example/'", "'dead'")),
          'b.parquet': await parquet(
            `${row("'https://b.example/'", "'dead'")} UNION ALL ${row("'https://a.example/'", "'ded'")}`,
          ),
        },
        format: 'parquet',
      }),
    says: [
      'data/sources/deny-list/2026-05-01/b.parquet: row 2 class "ded" is not one of fraud, dead, unable_verify, soft_fail',
      'data/sources/deny-list/2026-05-01/b.parquet: row 2 url "https://a.example/" occurs twice: first in row 1 of data/sources/deny-list/2026-05-01/a.parquet',
    ],
  },
];
