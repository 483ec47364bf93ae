import {mkdir, writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {shownAddress} from '../../shared/shown-address.ts';
import {SiteError} from '../site/site-error.ts';
import type {SqlLedger} from './sql-ledger.ts';

/** Where the ledger is if no address is given, from the root of the site. */
const FOLDER = 'ledger';
const FILE = 'sales.db';
export const LEDGER_FILE = `${FOLDER}/${FILE}`;

/**
 * Opens the ledger of a site. Rejects with `SiteError` where it cannot be opened.
 *
 * @param root of the site
 * @param address a path from the root or `file:` of a SQLite file, or `postgres:`; by default a file in `ledger/`
 */
export async function openLedger(root: string, address?: string): Promise<SqlLedger> {
  try {
    if (/^postgres(ql)?:/i.test(address ?? '')) {
      const {openPostgres} = await import('./postgres.ts');
      return await openPostgres(address ?? '');
    }
    const file = address ? fileAt(root, address) : join(await makeFolder(root), FILE);
    const {openSqlite} = await import('./sqlite.ts');
    return await openSqlite(file);
  } catch (cause) {
    const shown = address ? shownAddress(address) : LEDGER_FILE;
    throw new SiteError(`the ledger ${shown} cannot be opened: ${reasonOf(cause)}`, {cause});
  }
}

/** The file that a path from the root or an address names. */
export function fileAt(root: string, address: string): string {
  if (/^file:/i.test(address)) return fileURLToPath(new URL(address, `${pathToFileURL(root).href}/`));
  // A single letter is a drive.
  if (/^[a-z][a-z0-9+.-]+:/i.test(address)) throw new Error('it is neither a path nor file: nor postgres:');
  return resolve(root, address);
}

/** Makes the folder, for nobody else and never to be committed. */
async function makeFolder(root: string): Promise<string> {
  const folder = join(root, FOLDER);
  try {
    await mkdir(folder, {mode: 0o700});
    await writeFile(join(folder, '.gitignore'), '*\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return folder;
}

/** Why something failed, in one line. */
export function reasonOf(cause: unknown): string {
  // A host with two addresses fails with two errors, and without a message.
  const {message, code = ''} = cause as NodeJS.ErrnoException;
  return (message || code).replace(/\s+/g, ' ');
}
