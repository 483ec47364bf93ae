import {mkdir, realpath, writeFile} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {siteFolderAround} from '../../shared/command-line.ts';
import {PUBLIC} from '../../shared/paths.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import {SiteError} from '../site/site-error.ts';
import type {SqlLedger} from './sql-ledger.ts';

const FOLDER = 'ledger';
/** The path of the ledger if no address is given, relative to the root of the site. */
export const LEDGER_FILE = `${FOLDER}/sales.db`;

/**
 * Opens the ledger of a site and creates it if it does not exist. Rejects with `SiteError` if it cannot be opened.
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
    if (!address) await createFolder(join(root, FOLDER));
    const file = fileAt(root, address || LEDGER_FILE);
    await refusePublished(file);
    const {openSqlite} = await import('./sqlite.ts');
    return await openSqlite(file);
  } catch (cause) {
    const shown = address ? shownAddress(address) : LEDGER_FILE;
    throw new SiteError('FZ505', `The ledger ${shown} cannot be opened: ${reasonOf(cause)}`, {cause});
  }
}

/** Returns the path of the SQLite file at an address: a path relative to the root, or a `file:` URL. */
export function fileAt(root: string, address: string): string {
  if (/^(file:)?:memory:/i.test(address))
    throw new Error('a ledger in memory would lose the sales when the gate stops');
  if (/^file:/i.test(address)) {
    const url = new URL(address, `${pathToFileURL(root).href}/`);
    // The conversion to a path ignores both, so another file would be opened.
    if (url.search || url.hash) throw new Error('a file: address must not contain ? or # (in a name: %3F and %23)');
    return fileURLToPath(url);
  }
  // A single letter before the colon is a Windows drive.
  if (/^[a-z][a-z0-9+.-]+:/i.test(address)) throw new Error('expected a path, file: or postgres:');
  return resolve(root, address);
}

/** Throws if the file is in `public/` of a site, because the site publishes all files in this folder. */
async function refusePublished(file: string): Promise<void> {
  const place = join(await realpath(dirname(file)), basename(file));
  if (siteFolderAround(place) === PUBLIC)
    throw new Error(`it is in ${PUBLIC}/ of a site, which is published: move it to another folder`);
}

/** Creates the folder, readable only by its owner and ignored by Git. */
async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, {mode: 0o700});
    await writeFile(join(folder, '.gitignore'), '*\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Returns why something failed, in one line. */
export function reasonOf(cause: unknown): string {
  // A failed connection to a host with two addresses is an AggregateError without a message.
  const {message, code = ''} = cause as NodeJS.ErrnoException;
  return (message || code).replace(/\s+/g, ' ');
}
