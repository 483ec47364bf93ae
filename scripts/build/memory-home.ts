import {hash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import envPaths from 'env-paths';

/** A digest of the files that compiled sources read, as the compiler found them. */
declare const FILES_READ: string;

const COMMAND = new URL('../frozen.ts', import.meta.url);

/**
 * The folder where this very code, and no other, remembers builds. Of the compiled command the bytes tell all that it is made of, for its
 * parts are named by their digests; sources, which tests run, remember nothing.
 */
export function memoryHome(): string | undefined {
  if (COMMAND.pathname.endsWith('.ts')) return undefined;
  const code = hash('sha256', `${readFileSync(COMMAND, 'utf8')}\0${FILES_READ}\0${process.version}`);
  return join(envPaths('frozen-snapshots', {suffix: ''}).cache, code);
}
