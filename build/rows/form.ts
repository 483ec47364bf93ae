import {mapAll, refuse, type Fault} from '../fault.ts';
import type {Field} from '../read/data-package.ts';
import {FIELD_TYPES} from './field-types.ts';
import type {Database} from './database.ts';
import {firstLine, startsWithLine, unpackedSize} from './lines.ts';
import {literal, messageOf} from './sql.ts';
import type {Table} from './table.ts';
import {join} from 'node:path';

/**
 * Checks, before any row is read, that a table's patterns are such, and that its files are whole and have the schema's columns.
 * Returns how many bytes the files have, unpacked.
 */
export async function checkForm(database: Database, root: string, table: Table): Promise<number> {
  refuse(await patternFaults(database, table));
  const bytes = await unpackedBytes(root, table);
  const faultsIn = {csv: headerFaults, ndjson: noFaults, json: emptyFaults, parquet: columnFaults};
  refuse(await faultsIn[table.freeze.format](database, root, table));
  return bytes;
}

/** Unpacks gzip files once more: DuckDB reads them without a look at their checksum, or at whether they are complete. */
async function unpackedBytes(root: string, {freeze}: Table): Promise<number> {
  const packed = freeze.files.filter(file => file.endsWith('.gz'));
  if (packed.length === 0) return freeze.bytes;
  return (await mapAll(packed, file => unpackedSize(root, file))).reduce((sum, size) => sum + size, 0);
}

/** A pattern that DuckDB's RE2 cannot compile. */
async function patternFaults(database: Database, {freeze, fields}: Table): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const {name, constraints} of fields) {
    if (constraints?.pattern === undefined) continue;
    try {
      await database.query(`SELECT regexp_full_match('', ${literal(constraints.pattern)})`);
    } catch (cause) {
      faults.push({
        file: freeze.descriptor,
        field: `column "${name}"`,
        value: constraints.pattern,
        rule: `is not a pattern: ${messageOf(cause as Error)}`,
      });
    }
  }
  return faults;
}

/** CSV: the first record of every file must name the schema's columns, in order. */
async function headerFaults(database: Database, root: string, {freeze, fields}: Table): Promise<Fault[]> {
  const expected = fields.map(field => field.name);
  const right = expected.join(freeze.delimiter);
  const faults: Fault[] = [];
  for (const file of freeze.files) {
    if (isPlain(expected, freeze.delimiter) && (await startsWithLine(root, file, right))) continue;
    const header = await readHeader(database, root, file, freeze.delimiter, expected.length);
    if (header?.every((name, index) => name === expected[index])) continue;
    const line = await firstLine(root, file);
    if (line === undefined) faults.push({file, rule: 'is empty: not even a header'});
    // Where the header is right but its record cannot be read, the scan tells what is wrong with the file.
    else if (header || line !== right)
      faults.push({file, line: 1, field: 'header', value: line, rule: `is not ${right}`});
  }
  return faults;
}

/** True of names that stand in a header as they are: whether they do takes no parser to see. */
function isPlain(names: readonly string[], delimiter: string): boolean {
  return names.every(name => !/["\r\n]/.test(name) && !name.includes(delimiter));
}

async function readHeader(
  database: Database,
  root: string,
  file: string,
  delimiter: string,
  width: number,
): Promise<readonly unknown[] | undefined> {
  const columns = Array.from({length: width}, (_, index) => `c${index}: 'VARCHAR'`).join(', ');
  try {
    const [header] =
      await database.query(`SELECT * FROM read_csv(${literal(join(root, file))}, header = false, auto_detect = false,
      delim = ${literal(delimiter)}, quote = '"', escape = '"', columns = {${columns}}, ignore_errors = true) LIMIT 1`);
    return header;
  } catch {
    return undefined; // No CSV at all: the caller looks at the line itself.
  }
}

/** NDJSON names the columns in every row, and a list without rows is an empty file. */
function noFaults(): Fault[] {
  return [];
}

/** JSON: DuckDB takes a file without a list for an empty list. */
async function emptyFaults(_: Database, root: string, {freeze}: Table): Promise<Fault[]> {
  const faults = await Promise.all(
    freeze.files.map(async file => ((await firstLine(root, file)) === undefined ? [{file, rule: 'is empty'}] : [])),
  );
  return faults.flat();
}

/** Parquet: names and physical types of the columns of every file. */
async function columnFaults(database: Database, root: string, {freeze, fields}: Table): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const file of freeze.files) faults.push(...(await columnFaultsOf(database, root, file, fields)));
  return faults;
}

async function columnFaultsOf(
  database: Database,
  root: string,
  file: string,
  fields: readonly Field[],
): Promise<Fault[]> {
  let columns: readonly (readonly unknown[])[];
  try {
    columns = await database.query(`DESCRIBE SELECT * FROM read_parquet(${literal(join(root, file))})`);
  } catch (cause) {
    return [{file, rule: `is not Parquet: ${messageOf(cause as Error)}`}];
  }
  const types = new Map(columns.map(([name, type]) => [String(name), String(type)]));
  const expected = fields.map(field => field.name);
  if ([...types.keys()].join('\n') !== expected.join('\n')) {
    return [{file, field: 'columns', value: [...types.keys()].join(', '), rule: `are not ${expected.join(', ')}`}];
  }
  return fields.flatMap(({name, type}) =>
    FIELD_TYPES[type].parquet.test(types.get(name) ?? '')
      ? []
      : [{file, field: `column "${name}"`, value: types.get(name), rule: `is not of type ${type}`}],
  );
}
