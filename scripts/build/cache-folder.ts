import {hash} from 'node:crypto';
import {readdirSync, readFileSync, rmSync, statSync, utimesSync} from 'node:fs';
import {isAbsolute, join} from 'node:path';
import {ifReadable} from '../../shared/if-readable.ts';

/** A digest of the files that compiled sources read, taken when they were compiled. */
declare const FILES_READ: string;

const COMMAND = new URL('../frozen.ts', import.meta.url);

/** An entry that no command has used for this long is removed. */
const UNUSED_MS = 30 * 24 * 60 * 60 * 1000;
const ENTRY_NAME = /^[0-9a-f]{64}$/;

/**
 * Returns the folder in the user's cache in which this code, on this version of Node, caches builds. Other versions have their own entries
 * next to it; entries that have not been used for 30 days are removed. The compiled command is identified by its bytes, because it imports
 * its parts by their digests. Returns undefined for uncompiled sources, which tests run, and for a user without a cache folder.
 *
 * @param isRead true for a command that only reads: it renews and removes nothing
 */
export async function cacheFolder({isRead = false} = {}): Promise<string | undefined> {
  if (COMMAND.pathname.endsWith('.ts')) return undefined;
  // The module reads the user's home when it is loaded, and throws if the user does not have one.
  const {default: pathsOf} = await import('env-paths').catch(() => ({default: undefined}));
  const cache = pathsOf?.('frozen-snapshots', {suffix: ''}).cache;
  if (cache === undefined || !isAbsolute(cache)) return undefined;
  const entry = hash('sha256', `${readFileSync(COMMAND, 'utf8')}\0${FILES_READ}\0${process.version}`);
  if (isRead) return join(cache, entry);
  const now = new Date();
  // Every use updates the time of the entry, so that no other version removes an entry that is in use.
  ifReadable(() => {
    utimesSync(join(cache, entry), now, now);
  });
  removeUnused(cache, now.getTime() - UNUSED_MS);
  return join(cache, entry);
}

/** Removes the entries last used before a time, in milliseconds since 1970. */
function removeUnused(cache: string, before: number): void {
  const names = ifReadable(() => readdirSync(cache)) ?? [];
  for (const name of names.filter(name => ENTRY_NAME.test(name)))
    ifReadable(() => {
      const folder = join(cache, name);
      if (statSync(folder).mtimeMs < before) rmSync(folder, {recursive: true, force: true});
    });
}
