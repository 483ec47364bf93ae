import {
  DuckDBInstance,
  DuckDBTypeId,
  INTEGER,
  type DuckDBConnection,
  ANY,
  DuckDBScalarFunction,
  VARCHAR,
  type DuckDBType,
} from '@duckdb/node-api';
import driver from '@duckdb/node-api/lib/vectors/dataAccessors.js';
import {vectorRegistry as driverVectors} from '@duckdb/node-api/lib/vectors/vectorRegistry.js';
import {markNumbers, nestedFault} from './json-functions.ts';
import {literals} from './sql.ts';
import bindings from '@duckdb/node-bindings';

// Loads the native module, which is the slowest part of a start. Import this file late, just before DuckDB is opened.

// The driver's decoder drops U+FEFF at the beginning of every text, because it expects a byte order mark.
(driver as {textDecoder: unknown}).textDecoder = new TextDecoder('utf-8', {ignoreBOM: true});

// The driver cannot read the type NULL in lists and structs. DuckDB represents it as integers without a value.
const createVector = driverVectors.create?.bind(driverVectors);
if (createVector)
  driverVectors.create = (vector, count, type) =>
    createVector(vector, count, type?.typeId === DuckDBTypeId.SQLNULL ? INTEGER : type);

/** Opens an in-memory DuckDB without temporary files, in UTC, with functions that read JSON exactly. */
export async function openDuckDb(settings: Readonly<Record<string, string>> = {}) {
  const instance = await DuckDBInstance.create(':memory:', {temp_directory: '', ...settings});
  const connection = await instance.connect();
  // Otherwise DuckDB writes the times of Parquet in the time zone of the machine.
  await connection.run(`SET TimeZone = 'UTC'`);
  addFunction(connection, 'mark_numbers', VARCHAR, json => markNumbers(String(json)));
  addFunction(connection, 'nested_fault', VARCHAR, json => nestedFault(String(json)));
  // The JSON text of a struct, map or list of Parquet.
  addFunction(connection, 'nested_json', ANY, (value, type) => nestedJson(type, value));
  const close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  return {connection, close};
}

/** Locks a DuckDB permanently: no network, no files outside `folders`, no extensions. */
export async function lock(connection: DuckDBConnection, folders: readonly string[]): Promise<void> {
  await connection.run(`
    SET autoinstall_known_extensions = false;
    SET autoload_known_extensions = false;
    SET allow_community_extensions = false;
    SET allow_persistent_secrets = false;
    SET allowed_directories = ${literals(folders)};
    SET enable_external_access = false;
    SET lock_configuration = true;
  `);
}

/** Adds a function of one value to SQL. Its result for NULL is NULL. */
function addFunction(
  connection: DuckDBConnection,
  name: string,
  parameter: DuckDBType,
  answer: (value: unknown, type: DuckDBType) => string | undefined,
): void {
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name,
      parameterTypes: [parameter],
      returnType: VARCHAR,
      mainFunction(_, chunk, answers) {
        const values = chunk.getColumnVector(0);
        for (let row = 0; row < chunk.rowCount; row++) {
          const value = values.getItem(row);
          answers.setItem(row, value === null ? null : (answer(value, values.type) ?? null));
        }
        answers.flush();
      },
    }),
  );
}

/**
 * The JSON text of a nested Parquet value. Inner values have the same format as in a column; DuckDB's `to_json` formats timestamps and
 * 32-bit floats differently. For values that JSON cannot represent, the text is not JSON, so that it is refused.
 */
function nestedJson(type: DuckDBType, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if ('entryNames' in type) {
    const {entries} = value as {readonly entries: Readonly<Record<string, unknown>>};
    const members = type.entryNames.map((name, index) => {
      const member = type.entryTypes[index];
      // The driver drops the value of a member called __proto__, which is refused.
      const found = Object.hasOwn(entries, name) ? entries[name] : null;
      return member ? `${JSON.stringify(name)}:${nestedJson(member, found)}` : '';
    });
    return `{${members.join(',')}}`;
  }
  if ('keyType' in type) {
    const {entries} = value as {readonly entries: readonly {readonly key: unknown; readonly value: unknown}[]};
    const members = entries.map(
      ({key, value: found}) => `${keyOf(type.keyType, key)}:${nestedJson(type.valueType, found)}`,
    );
    return `{${members.join(',')}}`;
  }
  if ('valueType' in type) {
    const {items} = value as {readonly items: readonly unknown[]};
    return `[${items.map(item => nestedJson(type.valueType, item)).join(',')}]`;
  }
  return scalarJson(type.toString(), value);
}

/** A map key as JSON string. */
function keyOf(type: DuckDBType, key: unknown): string {
  const json = nestedJson(type, key);
  return json.startsWith('"') ? json : JSON.stringify(json);
}

function scalarJson(type: string, value: unknown): string {
  if (type === 'VARCHAR') return JSON.stringify(value);
  if (type === 'FLOAT') return numberJson(Number(bindings.get_varchar(bindings.create_float(Number(value)))));
  if (type === 'DOUBLE') return numberJson(Number(value));
  if (type === 'DATE') return calendarJson(String(value), '');
  if (type === 'TIMESTAMP WITH TIME ZONE' || type === 'TIMESTAMPTZ')
    // The driver would add the time zone of this process.
    return calendarJson(utcTimeOf((value as {readonly micros: bigint}).micros), 'Z');
  if (type.startsWith('TIMESTAMP')) return calendarJson(String(value).replace(' ', 'T'), '');
  return String(value);
}

function numberJson(value: number): string {
  return Number.isFinite(value) ? JSON.stringify(value) : String(value);
}

/** A time in UTC, without trailing zeros in its fraction. */
function utcTimeOf(micros: bigint): string {
  const second = 1_000_000n;
  const fraction = ((micros % second) + second) % second;
  const date = new Date(Number((micros - fraction) / 1000n));
  if (Number.isNaN(date.valueOf())) return 'infinity';
  const digits = fraction.toString().padStart(6, '0').replace(/0+$/, '');
  return date.toISOString().slice(0, -'.000Z'.length) + (digits === '' ? '' : `.${digits}`);
}

function calendarJson(text: string, zone: string): string {
  return /^\d{4}-\d{2}-\d{2}(T[\d:.]+)?$/.test(text) ? `"${text}${zone}"` : `${text}${zone}`;
}
