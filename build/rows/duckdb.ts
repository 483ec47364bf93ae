import {DuckDBInstance, DuckDBTypeId, INTEGER, type DuckDBConnection} from '@duckdb/node-api';
import driver from '@duckdb/node-api/lib/vectors/dataAccessors.js';
import {vectorRegistry as driverVectors} from '@duckdb/node-api/lib/vectors/vectorRegistry.js';
import {addJsonFunctions} from './json-functions.ts';
import {addNestedJson} from './nested-json.ts';
import {literals} from './sql.ts';

// Loads the native module, which is the slowest part of a start: import this file where a DuckDB is opened, not before.

// The driver's own decoder takes U+FEFF at the beginning of any text for a byte order mark, and drops it.
(driver as {textDecoder: unknown}).textDecoder = new TextDecoder('utf-8', {ignoreBOM: true});

// The driver cannot read values of type NULL in lists and structs: to DuckDB they are integers without a value.
const createVector = driverVectors.create?.bind(driverVectors);
if (createVector)
  driverVectors.create = (vector, count, type) =>
    createVector(vector, count, type?.typeId === DuckDBTypeId.SQLNULL ? INTEGER : type);

/** A DuckDB of its own, and how it is closed. */
export interface DuckDb {
  readonly connection: DuckDBConnection;
  readonly close: () => void;
}

/**
 * Opens a DuckDB in memory that spills nothing to disk, with functions that read JSON exactly.
 *
 * @param settings DuckDB's own, e.g. `{threads: '1'}`
 */
export async function openDuckDb(settings: Readonly<Record<string, string>> = {}): Promise<DuckDb> {
  const instance = await DuckDBInstance.create(':memory:', {temp_directory: '', ...settings});
  const connection = await instance.connect();
  await addJsonFunctions(connection);
  addNestedJson(connection);
  const close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  return {connection, close};
}

/** Locks a DuckDB for good: no network, no files but those below these folders, no extensions, no time zone of this machine. */
export async function lock(connection: DuckDBConnection, folders: readonly string[]): Promise<void> {
  await connection.run(`
    SET autoinstall_known_extensions = false;
    SET autoload_known_extensions = false;
    SET allow_community_extensions = false;
    SET allow_persistent_secrets = false;
    SET TimeZone = 'UTC';
    SET allowed_directories = ${literals(folders)};
    SET enable_external_access = false;
    SET lock_configuration = true;
  `);
}
