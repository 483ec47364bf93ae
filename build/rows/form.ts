import {join} from 'node:path';
import {mapAll, refuse, type Fault} from '../../shared/fault.ts';
import type {Field} from '../read/data-package.ts';
import {FIELD_TYPES} from './field-types.ts';
import type {Database} from './database.ts';
import {isPacked} from './formats.ts';
import {firstLine, lastCharacter, unpackedSize} from './lines.ts';
import type {List} from './relation.ts';
import {literal, messageOf} from './sql.ts';

/**
 * Checks, before any row is read, that a table's patterns are such, and that its files are whole and have the schema's columns. Returns
 * the size of the files in bytes, unpacked.
 */
export async function checkForm(list: List): Promise<number> {
  refuse(await patternFaults(list));
  const bytes = await sizeOf(list);
  const faultsIn = {csv: headerFaults, ndjson: noFaults, json: endFaults, parquet: columnFaults};
  refuse(await faultsIn[list.table.freeze.format](list));
  return bytes;
}

/** Unpacks gzip files once more: DuckDB reads them without a look at their checksum, or at whether they are complete. */
async function sizeOf({root, table: {freeze}}: List): Promise<number> {
  if (!isPacked(freeze)) return freeze.bytes;
  const sizes = await mapAll(freeze.files, file => unpackedSize(root, file));
  return sizes.reduce((total, size) => total + size, 0);
}

/** A pattern that DuckDB's RE2 cannot compile. */
async function patternFaults({database, table: {freeze, fields}}: List): Promise<Fault[]> {
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

/** CSV: the first line of every file must name the schema's columns, in order; no name has a line end. */
async function headerFaults({root, table: {freeze, fields}}: List): Promise<Fault[]> {
  const names = fields.map(({name}) => name);
  const right = names.join(freeze.delimiter);
  const header = headerPattern(names, freeze.delimiter);
  const faults = await mapAll(freeze.files, async (file): Promise<Fault[]> => {
    const first = await firstLine(root, file);
    if (!first) return [{file, rule: 'is empty: not even a header'}];
    if (first.line === 1 && header.test(first.text)) return [];
    return [{file, line: 1, field: 'header', value: first.line === 1 ? first.text : '', rule: `is not ${right}`}];
  });
  return faults.flat();
}

/** Each name may stand in quotation marks, and has to where it holds the delimiter. */
function headerPattern(names: readonly string[], delimiter: string): RegExp {
  const escaped = (text: string) =>
    text.replaceAll(/[^\p{L}\p{N}]/gu, character => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`);
  const alternatives = names.map(name =>
    name.includes(delimiter) ? `"${escaped(name)}"` : `(?:"${escaped(name)}"|${escaped(name)})`,
  );
  return new RegExp(`^${alternatives.join(escaped(delimiter))}$`, 'u');
}

/** NDJSON names the columns in every row, and a list without rows is an empty file. */
function noFaults(): Fault[] {
  return [];
}

/** JSON: DuckDB takes a file without a list for an empty list, and one that is cut off after a comma for a whole one. */
async function endFaults({root, table: {freeze}}: List): Promise<Fault[]> {
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
async function columnFaults({database, root, table: {freeze, fields}}: List): Promise<Fault[]> {
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
