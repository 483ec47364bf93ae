import {statSync} from 'node:fs';
import {dirname, join, relative, resolve, sep} from 'node:path';
import {InputError} from './fault.ts';
import {ifReadable} from './if-readable.ts';
import {PUBLIC, RULES, SITE_FILE} from './paths.ts';

/** Returns the absolute path of the folder in `--root`. Throws if it is not a folder, or empty, for example from an unset variable. */
export function rootFolder(path: string): string {
  if (path === '' || !isFolder(resolve(path))) throw new Error('It is not a folder.');
  return resolve(path);
}

/**
 * Returns the absolute path of the site: the folder in `--root`, else the closest folder with `data/site.json`, the current one or above
 * (as git finds a repository). Throws `InputError` if such a folder does not exist.
 */
export function siteRoot(named: string | undefined): string {
  const found = named ?? currentSite() ?? forbiddenSite();
  if (found !== undefined) return found;
  const rule = `was found in this folder or any parent folder (looked for ${SITE_FILE})`;
  const fix = 'Run the command in the folder of a site, name it with --root, or create a site with `frozen init`.';
  throw new InputError({code: 'FZ201', subject: 'No site', rule, fix});
}

/** Returns the current folder if this user may not read its `data/`. Reading the site then reports why. */
function forbiddenSite(): string | undefined {
  try {
    statSync(SITE_FILE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return process.cwd();
  }
  return undefined;
}

/** Returns the site for a command without `--root`: the one that npm was called for, or else the one around the current folder. */
export function currentSite(): string | undefined {
  return siteNamedToNpm() ?? siteAround(process.cwd());
}

/** Returns the site of the package in `npm --prefix`, `-C` or `-w`, even if the caller is inside another site. */
export function siteNamedToNpm(): string | undefined {
  const named = packageNamedToNpm();
  return named === undefined ? undefined : siteAround(named);
}

/** The folder of the package in `npm --prefix`, `-C` or `-w`. Undefined if npm found the package from the caller's folder. */
function packageNamedToNpm(): string | undefined {
  const {npm_lifecycle_event: script, npm_package_json: file, INIT_CWD: caller} = process.env;
  const {npm_config_local_prefix: local, npm_config_global_prefix: global} = process.env;
  // npm sets both prefixes to the value of --prefix. Without it they differ.
  const isNamed = local !== undefined && local === global;
  // `npx` and `npm exec` run in the caller's folder, or in the workspace of -w.
  if (script === 'npx') return isNamed && process.cwd() === caller ? local : undefined;
  if (!file || !caller || script !== process.argv[2]) return undefined;
  const folder = dirname(file);
  return isNamed || !`${caller}${sep}`.startsWith(`${folder}${sep}`) ? folder : undefined;
}

/** Returns the closest folder with a site, this one or above. */
export function siteAround(folder: string): string | undefined {
  if (ifReadable(() => statSync(join(folder, SITE_FILE)))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : siteAround(above);
}

/** Returns the folder of a site that contains a path and is published or read by builds: `data`, `public` or `paywall/rules`. */
export function siteFolderAround(path: string): string | undefined {
  const root = siteAround(dirname(path));
  const inside = root === undefined ? '' : relative(root, path).split(sep).join('/');
  return ['data', PUBLIC, RULES].find(name => `${inside}/`.startsWith(`${name}/`));
}

function isFolder(path: string): boolean {
  return ifReadable(() => statSync(path))?.isDirectory() ?? false;
}

/** Returns the command that builds the site in `root`, an absolute path, from the current folder. */
export function buildCommand(root: string): string {
  const isInside = `${process.cwd()}${sep}`.startsWith(`${root}${sep}`);
  return `frozen build${isInside ? '' : ` --root ${quoted(fromHere(root))}`}`;
}

/** Returns an absolute path relative to the current folder. */
export function fromHere(path: string): string {
  return relative(process.cwd(), path) || '.';
}

/** Returns a word quoted for a shell. */
export function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
