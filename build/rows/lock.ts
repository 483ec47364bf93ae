import type {DuckDBConnection} from '@duckdb/node-api';
import {literals} from './sql.ts';

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
