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
  const found = named ?? currentSite();
  if (found !== undefined) return found;
  const rule = 'is neither here nor in a folder above: --root names the folder of a site, `frozen init` makes one';
  throw new InputError({file: SITE_FILE, rule});
}

/** The site that a command without `--root` acts on: the one that npm was called for, else the one around the current folder. */
export function currentSite(): string | undefined {
  return siteNamedToNpm() ?? siteAround(process.cwd());
}

/** The site of the package that `npm --prefix`, `-C` or `-w` named, even if the caller is inside another site. */
export function siteNamedToNpm(): string | undefined {
  const named = packageNamedToNpm();
  return named === undefined ? undefined : siteAround(named);
}

/** The folder of the package that `npm --prefix`, `-C` or `-w` named; undefined if npm found the package from the caller's folder. */
function packageNamedToNpm(): string | undefined {
  const {npm_lifecycle_event: script, npm_package_json: file, INIT_CWD: caller} = process.env;
  const {npm_config_local_prefix: local, npm_config_global_prefix: global} = process.env;
  // npm sets both prefixes to what --prefix names; otherwise they differ.
  const isNamed = local !== undefined && local === global;
  // `npx` and `npm exec` run in the caller's folder, or in the workspace that -w names.
  if (script === 'npx') return isNamed && process.cwd() === caller ? local : undefined;
  if (!file || !caller || script !== process.argv[2]) return undefined;
  const folder = dirname(file);
  return isNamed || !`${caller}${sep}`.startsWith(`${folder}${sep}`) ? folder : undefined;
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
