import {join} from 'node:path';
import {openDuckDb} from '../../../build/rows/duckdb.ts';
import {CLASSES, classField, describe, freezeFolder, url, writeShare, writeSite} from '../site.ts';

/** A form of the same rows. */
export interface Form {
  readonly name: string;
  /** The name of its folder. */
  readonly folder: string;
  /** The extension of the file. */
  readonly extension: 'csv' | 'ndjson' | 'parquet';
  /** The function with which DuckDB reads it. */
  readonly reader: 'read_csv' | 'read_json' | 'read_parquet';
  /** True if addresses are unique. */
  readonly unique?: boolean;
}

const plain = [
  {name: 'CSV', folder: 'csv', extension: 'csv', reader: 'read_csv'},
  {name: 'NDJSON', folder: 'ndjson', extension: 'ndjson', reader: 'read_json'},
  {name: 'Parquet', folder: 'parquet', extension: 'parquet', reader: 'read_parquet'},
] as const;

/** Each form without a primary key, and with the address as the key. */
export const forms: readonly Form[] = plain.flatMap(form => [
  form,
  {...form, name: `${form.name}, unique key`, folder: `${form.folder}-unique`, unique: true},
]);

/** Writes a site that sells one class of a long list. Returns the path of the list. */
export async function writeListSite(root: string, {extension, unique = false}: Form, rows: number): Promise<string> {
  await writeSite(root);
  await writeShare(root, 'Soft Fail', 'deny-list', 'soft_fail', {key: 'url'});
  const folder = await freezeFolder(root, 'deny-list');
  const list = join(folder, `deny-list.${extension}`);
  await writeList(list, extension, rows);
  await describe(list, {fields: [url, classField], ...(unique ? {primaryKey: ['url']} : {})});
  return list;
}

/** Returns distinct unsorted addresses, in classes of about the same size. */
async function writeList(path: string, extension: Form['extension'], rows: number): Promise<void> {
  const {connection, close} = await openDuckDb({});
  const classes = CLASSES.map(name => `'${name}'`).join(', ');
  const format = extension === 'ndjson' ? 'json' : extension;
  try {
    // DuckDB accepts this path only as a literal.
    await connection.run(
      `COPY (
         SELECT
           format('https://host-{:08x}.example/path/{}', scattered, row) AS url,
           [${classes}][(scattered >> 7) % 4 + 1] AS class
         FROM (SELECT range AS row, range * 2654435761 % 4294967296 AS scattered FROM range(${rows}))
       ) TO '${path.replaceAll("'", "''")}' (FORMAT ${format})`,
    );
  } finally {
    close();
  }
}
