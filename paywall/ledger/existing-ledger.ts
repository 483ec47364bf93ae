import {stat} from 'node:fs/promises';
import {join} from 'node:path';
import {shownAddress} from '../../shared/shown-address.ts';
import {SiteError} from '../site/site-error.ts';
import type {Database} from './database.ts';
import type {Ledger} from './ledger.ts';
import {fileAt, LEDGER_FILE, reasonOf} from './open-ledger.ts';
import {versions} from './schema.ts';
import {SqlLedger} from './sql-ledger.ts';

const MISSING = 'it does not exist';

/**
 * Opens a ledger that a gate created, while that gate may be running. Neither creates nor migrates a ledger: rejects with `SiteError` if
 * it does not exist or has another version.
 *
 * @param root of the site
 * @param address a path from the root or `file:` of a SQLite file, or `postgres:`; by default a file in `ledger/`
 */
export async function openExistingLedger(root: string, address?: string): Promise<Ledger> {
  try {
    const database = await databaseOf(root, address);
    try {
      await refuseOtherVersion(database);
    } catch (error) {
      await database.close();
      throw error;
    }
    return new SqlLedger(database);
  } catch (cause) {
    const shown = address ? shownAddress(address) : LEDGER_FILE;
    const fix =
      reasonOf(cause) === MISSING ? 'Check the address of the ledger. A gate creates it when it starts.' : undefined;
    throw new SiteError('FZ505', `The ledger ${shown} cannot be opened: ${reasonOf(cause)}`, {cause, fix});
  }
}

async function databaseOf(root: string, address: string | undefined): Promise<Database> {
  if (/^postgres(ql)?:/i.test(address ?? '')) return (await import('./postgres.ts')).databaseAt(address ?? '');
  const file = address ? fileAt(root, address) : join(root, LEDGER_FILE);
  // SQLite would create the file.
  const found = await stat(file).catch((cause: unknown) => {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw isMissing ? new Error(MISSING, {cause}) : cause;
  });
  if (found.isDirectory()) throw new Error('it is a folder');
  const [{default: Connection}, {databaseOn}] = await Promise.all([import('libsql'), import('./sqlite.ts')]);
  const connection = new Connection(file);
  return {
    ...databaseOn(connection),
    // Without a checkpoint, because the gate would have to wait for it.
    close() {
      connection.close();
      return Promise.resolve();
    },
  };
}

async function refuseOtherVersion({query}: Database): Promise<void> {
  const [row] = await query('SELECT version FROM ledger_version').catch((cause: unknown) => {
    if (/no such table|does not exist/.test(reasonOf(cause))) throw new Error('it is not a ledger', {cause});
    throw cause;
  });
  const version = Number(row?.['version'] ?? 0);
  if (version === versions.length) return;
  const remedy = version < versions.length ? 'start a gate with this program to migrate it' : 'use a newer program';
  throw new Error(`it has version ${version}, and this program reads version ${versions.length}: ${remedy}`);
}
