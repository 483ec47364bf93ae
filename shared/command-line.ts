import {statSync} from 'node:fs';
import {dirname, join, relative, resolve, sep} from 'node:path';
import {InputError} from './fault.ts';
import {ifReadable} from './if-readable.ts';
import {SITE_FILE} from './paths.ts';

/** The folder that `--root` names, absolute. Throws where it is empty, as that of a variable that is not set, or no folder. */
export function rootFolder(path: string): string {
  if (path === '' || !isFolder(resolve(path))) throw new Error('It is not a folder.');
  return resolve(path);
}

/**
 * The folder of the site, absolute: the one that `--root` names, else the nearest that holds `data/site.json`, here or above, as git finds
 * a repository. Throws `InputError` where there is none.
 */
export function siteRoot(named: string | undefined): string {
  const found = named ?? siteAround(process.cwd());
  if (found !== undefined) return found;
  const rule = 'is neither here nor in a folder above: --root names the folder of a site, `frozen init` makes one';
  throw new InputError({file: SITE_FILE, rule});
}

/** The nearest folder that holds a site, this one or one above. */
export function siteAround(folder: string): string | undefined {
  if (ifReadable(() => statSync(join(folder, SITE_FILE)))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : siteAround(above);
}

function isFolder(path: string): boolean {
  return ifReadable(() => statSync(path))?.isDirectory() ?? false;
}

/** The command that builds the site below `root`, an absolute path, from where this one was called. */
export function buildCommand(root: string): string {
  const isInside = `${process.cwd()}${sep}`.startsWith(`${root}${sep}`);
  return `frozen build${isInside ? '' : ` --root ${quoted(fromHere(root))}`}`;
}

/** An absolute path as it is written where this command was called. */
export function fromHere(path: string): string {
  return relative(process.cwd(), path) || '.';
}

/** A word as it is typed into a shell. */
export function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
