import {mapAll, refuse, type Fault} from '../../shared/fault.ts';
import type {Field} from '../read/data-package.ts';
import {FIELD_TYPES} from './field-types.ts';
import type {Database} from './database.ts';
import {isPacked} from './formats.ts';
import {firstLine, lastCharacter, startsWithLine, unpackedSize, type Line} from './lines.ts';
import {literal, messageOf} from './sql.ts';
import type {Table} from './table.ts';
import {join} from 'node:path';

/**
 * Checks, before any row is read, that a table's patterns are such, and that its files are whole and have the schema's columns. Returns
 * the size of the files in bytes, unpacked.
 */
export async function checkForm(database: Database, root: string, table: Table): Promise<number> {
  refuse(await patternFaults(database, table));
  const bytes = await sizeOf(root, table);
  const faultsIn = {csv: headerFaults, ndjson: noFaults, json: endFaults, parquet: columnFaults};
  refuse(await faultsIn[table.freeze.format](database, root, table));
  return bytes;
}

/** Unpacks gzip files once more: DuckDB reads them without a look at their checksum, or at whether they are complete. */
async function sizeOf(root: string, {freeze}: Table): Promise<number> {
  if (!isPacked(freeze)) return freeze.bytes;
  const sizes = await mapAll(freeze.files, file => unpackedSize(root, file));
  return sizes.reduce((total, size) => total + size, 0);
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
    const first = await firstLine(root, file);
    if (!first) faults.push({file, rule: 'is empty: not even a header'});
    // Where the header is right but its record cannot be read, the scan tells what is wrong with the file.
    else if (header ? !isHeader(first, header, expected, freeze.delimiter) : first.text !== right)
      faults.push({file, line: 1, field: 'header', value: first.line === 1 ? first.text : '', rule: `is not ${right}`});
  }
  return faults;
}

/** True of names that stand in a header as they are: whether they do takes no parser to see. */
function isPlain(names: readonly string[], delimiter: string): boolean {
  return names.every(name => !/["\r\n]/.test(name) && !name.includes(delimiter));
}

/** True where the first record that DuckDB found has the names that are expected, and is the first line: it passes over others. */
function isHeader(first: Line, header: readonly unknown[], expected: readonly string[], delimiter: string): boolean {
  const [line = ''] = expected.join(delimiter).split(/[\r\n]/);
  return (
    header.every((name, index) => name === expected[index]) &&
    first.line === 1 &&
    first.text.replaceAll('"', '') === line.replaceAll('"', '')
  );
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
      delim = ${literal(delimiter)}, quote = '"', escape = '"', columns = {${columns}}, hive_partitioning = false, parallel = false, ignore_errors = true) LIMIT 1`);
    return header;
  } catch {
    return undefined; // No CSV at all: the caller looks at the line itself.
  }
}

/** NDJSON names the columns in every row, and a list without rows is an empty file. */
function noFaults(): Fault[] {
  return [];
}

/** JSON: DuckDB takes a file without a list for an empty list, and one that is cut off after a comma for a whole one. */
async function endFaults(_: Database, root: string, {freeze}: Table): Promise<Fault[]> {
  const faults = await Promise.all(
    freeze.files.map(async (file): Promise<Fault[]> => {
      const last = await lastCharacter(root, file);
      if (last === undefined) return [{file, rule: 'is empty'}];
      return last === ',' ? [{file, rule: 'is cut off: it ends with a comma'}] : [];
    }),
  );
  return faults.flat();
}

/** Parquet: names and physical types of the columns of every file. */
async function columnFaults(database: Database, root: string, {freeze, fields}: Table): Promise<Fault[]> {
  const faults: Fault[] = [];
  let first: Types | undefined;
  for (const file of freeze.files) {
    try {
      const types = await typesIn(database, root, file);
      first ??= types;
      faults.push(...columnFaultsOf(file, types, fields, first));
    } catch (cause) {
      faults.push({file, rule: `is not Parquet: ${messageOf(cause as Error)}`});
    }
  }
  return faults;
}

/** The physical types of the columns of a file, by name. */
type Types = ReadonlyMap<string, string>;

async function typesIn(database: Database, root: string, file: string): Promise<Types> {
  const path = literal(join(root, file));
  const columns = await database.query(`DESCRIBE SELECT * FROM read_parquet(${path}, hive_partitioning = false)`);
  return new Map(columns.map(([name, type]) => [String(name), String(type)]));
}

/** What is wrong with the columns of a file; DuckDB makes the values of all files be of the types of the first. */
function columnFaultsOf(file: string, types: Types, fields: readonly Field[], first: Types): Fault[] {
  const expected = fields.map(field => field.name);
  if ([...types.keys()].join('\n') !== expected.join('\n')) {
    return [{file, field: 'columns', value: [...types.keys()].join(', '), rule: `are not ${expected.join(', ')}`}];
  }
  return fields.flatMap(({name, type}) => {
    const fault = (rule: string) => [{file, field: `column "${name}"`, value: types.get(name), rule}];
    if (!FIELD_TYPES[type].parquet.test(types.get(name) ?? '')) return fault(`is not of type ${type}`);
    return types.get(name) === first.get(name) ? [] : fault(`is not ${first.get(name) ?? ''}, as in the first file`);
  });
}
