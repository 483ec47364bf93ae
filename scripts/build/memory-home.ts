import {hash} from 'node:crypto';
import {readdirSync, readFileSync, rmSync} from 'node:fs';
import {isAbsolute, join} from 'node:path';
import {ifReadable} from '../../shared/if-readable.ts';

/** A digest of the files that compiled sources read, as the compiler found them. */
declare const FILES_READ: string;

const COMMAND = new URL('../frozen.ts', import.meta.url);

/**
 * The folder where this very code, and no other, remembers builds; what former code remembered is removed. Of the compiled command the
 * bytes tell all that it is made of, for its parts are named by their digests. Sources, which tests run, remember nothing, nor does a
 * user without a folder for caches.
 */
export async function memoryHome(): Promise<string | undefined> {
  if (COMMAND.pathname.endsWith('.ts')) return undefined;
  // It looks for the user's home as it is loaded, and throws where there is none.
  const {default: pathsOf} = await import('env-paths').catch(() => ({default: undefined}));
  const cache = pathsOf?.('frozen-snapshots', {suffix: ''}).cache;
  if (cache === undefined || !isAbsolute(cache)) return undefined;
  const code = hash('sha256', `${readFileSync(COMMAND, 'utf8')}\0${FILES_READ}\0${process.version}`);
  const former = ifReadable(() => readdirSync(cache)) ?? [];
  for (const name of former)
    if (name !== code)
      ifReadable(() => {
        rmSync(join(cache, name), {recursive: true, force: true});
      });
  return join(cache, code);
}
