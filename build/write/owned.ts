import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {PUBLIC, RULES_FILE} from '../../shared/paths.ts';
import {paths} from '../../shared/paths.ts';

/** In place of the value of a file that is no JSON. */
const BROKEN = Symbol('broken');

/** The folder that builds work in, below the root: on the same disk as `public/`, and never served. */
export const WORK = '.build';
/** Where a build prepares its files. */
export const STAGING = `${WORK}/staged`;
/** The paths that an unfinished build owned, old and new. */
export const JOURNAL = `${STAGING}/owned.json`;

const CATALOGUE = PUBLIC + paths.catalogue;
/** The files that name all that a build owns. */
export const NAMING = [CATALOGUE, RULES_FILE];

/** What earlier builds left on disk. */
export interface Owned {
  /**
   * The files that they wrote: those that the catalogue and the rules name, and those in the journal of a build that was killed. Only
   * these may ever be removed or replaced.
   */
  readonly paths: ReadonlySet<string>;
  /** False where the catalogue or the rules tell nothing, broken as they are, or gone: then there may be more such files. */
  readonly known: boolean;
}

/** @param named the files that catalogue and rules name, where it is known */
export function ownedOf(root: string, named?: readonly string[]): Owned {
  const found = named ? [named] : namedIn(root);
  const journal = pathsIn(root, JOURNAL, stringsIn) ?? [];
  const paths = [...found.flatMap(each => each ?? []), ...journal];
  return {
    paths: new Set([...paths.filter(isOutput), ...NAMING]),
    known: found.every(each => each !== undefined) && (named !== undefined || !isOneMissing(root)),
  };
}

/** A build writes both. */
function isOneMissing(root: string): boolean {
  return new Set(NAMING.map(file => existsSync(join(root, file)))).size > 1;
}

function namedIn(root: string): (string[] | undefined)[] {
  return [
    pathsIn(root, CATALOGUE, cataloguedPaths),
    pathsIn(root, RULES_FILE, rules => stringsIn((rules as {hosts?: unknown} | undefined)?.hosts)),
  ];
}

/** Paths in the value of a file, which is undefined where there is no file; undefined where it is no JSON. */
function pathsIn(root: string, file: string, find: (value: unknown) => string[]): string[] | undefined {
  const value = readJson(join(root, file));
  return value === BROKEN ? undefined : find(value);
}

/** A path below `public/` or `paywall/rules/` that leads nowhere else. */
function isOutput(path: string): boolean {
  return /^(public|paywall\/rules)\/./.test(path) && path.split('/').every(part => !['', '.', '..'].includes(part));
}

/** A catalogue may be of another version or edited by hand, so nothing of its shape is taken for granted but `url` and `path` members. */
function cataloguedPaths(catalogue: unknown): string[] {
  const base = String((catalogue as {base_url?: unknown} | null | undefined)?.base_url);
  return membersIn(catalogue).flatMap(([name, text]) => {
    if (name === 'url' && text.startsWith(`${base}/`)) return [PUBLIC + text.slice(base.length)];
    return name === 'path' && text.startsWith('/') ? [PUBLIC + text] : [];
  });
}

/** Every member in a JSON value that is a text. */
function membersIn(value: unknown): [name: string, text: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' ? [[name, member] as [string, string]] : membersIn(member),
  );
}

/** Every text in a JSON value. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** The value in a file; undefined where there is no file. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return BROKEN;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
