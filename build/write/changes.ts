import {statSync, existsSync, readFileSync, lstatSync, readlinkSync} from 'node:fs';
import {join, dirname} from 'node:path';
import {refuse, type Fault} from '../../shared/fault.ts';
import type {TreeFile} from './stage.ts';
import {
  AWS_TEMPLATE,
  CATALOGUE_FILE,
  GITHUB_PAGES_FILE,
  namedPaths,
  PUBLIC,
  RULES_FILE,
  STAGING,
  WRANGLER_FILE,
} from '../../shared/paths.ts';

/** What a build would do to the files below the root; paths from the root, sorted. */
export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
}

/**
 * What is to be done with the files of a tree, and with those that earlier builds wrote. Throws `InputError` where something is in the
 * way: a file of others, too.
 *
 * @param former what the last build wrote, if it is known
 */
export function changesOf(root: string, tree: readonly TreeFile[], former?: readonly string[]): Changes {
  const pathsOf = (state: TreeFile['state']) => tree.flatMap(file => (file.state === state ? file.path : []));
  const [added, changed, unchanged] = [pathsOf('added').sort(), pathsOf('changed').sort(), pathsOf('unchanged')];
  const paths = new Set(tree.map(({path}) => path));
  refuse(obstacleFaults(root, [...paths, JOURNAL], [...changed, JOURNAL]));
  const owned = ownedOf(root, former);
  const stale = [...owned.paths].filter(path => !paths.has(path));
  refuse(obstacleFaults(root, stale, stale));
  const foreign = owned.known ? changed.filter(path => !owned.paths.has(path)) : [];
  refuse(foreign.map(file => ({file, rule: 'stands there, and no build wrote it: move it away'})));
  return {added, changed, removed: stale.filter(path => exists(join(root, path))).sort(), unchanged};
}

/** True where the files on disk are exactly the tree. */
export function isUpToDate({added, changed, removed}: Changes): boolean {
  return added.length + changed.length + removed.length === 0;
}

function exists(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isFile() === true;
}

/** The value of a file that is not JSON. */
const BROKEN = Symbol('broken');

/** The paths that an unfinished build owned, old and new. */
export const JOURNAL = `${STAGING}/owned.json`;

/** The files that name all that a build owns. */
const NAMING = [CATALOGUE_FILE, RULES_FILE];

/** Rule files of hosts. An old one that stays may ask for money on fewer paths than the site sells. */
const RULE_FILES = [AWS_TEMPLATE, GITHUB_PAGES_FILE, WRANGLER_FILE];

/** What earlier builds left on disk. */
export interface Owned {
  /**
   * The files that they wrote: those that the catalogue and the rules name, those in the journal of a build that was killed, and, if
   * not all are known, the rule files of every host. Only these may ever be removed or replaced.
   */
  readonly paths: ReadonlySet<string>;
  /** False if the catalogue or the rules are missing or cannot be read: then there may be more files of a build. */
  readonly known: boolean;
}

/** @param named the files that catalogue and rules name, if they are known */
export function ownedOf(root: string, named?: readonly string[]): Owned {
  const found = named ? [named] : namedIn(root);
  const journal = pathsIn(root, JOURNAL, stringsIn) ?? [];
  const paths = [...found.flatMap(each => each ?? []), ...journal];
  const known = found.every(each => each !== undefined) && (named !== undefined || !isOneMissing(root));
  return {paths: new Set([...paths.filter(isOutput), ...NAMING, ...(known ? [] : RULE_FILES)]), known};
}

/** A build writes both. */
function isOneMissing(root: string): boolean {
  return new Set(NAMING.map(file => existsSync(join(root, file)))).size > 1;
}

function namedIn(root: string): (string[] | undefined)[] {
  return [
    pathsIn(root, CATALOGUE_FILE, catalogue => namedPaths(catalogue).map(path => PUBLIC + path)),
    pathsIn(root, RULES_FILE, rules => stringsIn((rules as {hosts?: unknown} | undefined)?.hosts)),
  ];
}

/** The paths in the value of a file; the value is undefined if there is no file. Returns undefined if the file is not JSON. */
function pathsIn(root: string, file: string, find: (value: unknown) => string[]): string[] | undefined {
  const value = readJson(join(root, file));
  return value === BROKEN ? undefined : find(value);
}

/** A path below `public/` or `paywall/rules/` that leads nowhere else. */
export function isOutput(path: string): boolean {
  return /^(public|paywall\/rules)\/./.test(path) && path.split('/').every(part => !['', '.', '..'].includes(part));
}

/** Every text in a JSON value. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** The value in a JSON file. Undefined if there is no file. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return BROKEN;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * What prevents files from being written below the root: a link or a file in place of a folder above them, or a folder in their
 * place. A build that finds any of them writes and removes nothing.
 *
 * @param paths the files whose folders are looked at
 * @param files those that are looked at themselves
 */
export function obstacleFaults(root: string, paths: Iterable<string>, files: readonly string[]): Fault[] {
  const folders = new Set([...new Set([...paths].map(path => dirname(path)))].flatMap(withFoldersAbove));
  const faults: Fault[] = [];
  for (const folder of folders) {
    // One fault is enough for all that lies below what is in the way.
    if (faults.some(({file}) => folder.startsWith(`${file}/`))) continue;
    faults.push(...faultOf(folder, folderRule(join(root, folder))));
  }
  if (faults.length > 0) return faults;
  return files.flatMap(file => faultOf(file, fileRule(join(root, file))));
}

/** `a/b` is itself, and below `a`. */
export function withFoldersAbove(folder: string): string[] {
  return folder === '.' ? [] : [...withFoldersAbove(dirname(folder)), folder];
}

function folderRule(path: string): string | undefined {
  const found = unlessMissing(() => lstatSync(path, {throwIfNoEntry: false}));
  if (found?.isSymbolicLink()) return `is a link to ${readlinkSync(path)}: the output must be in the root`;
  return found && !found.isDirectory() ? 'is in the way: a folder must be here. Move or remove it' : undefined;
}

/** A link in place of a file is replaced, not followed, when the file is renamed into place. */
function fileRule(path: string): string | undefined {
  const found = unlessMissing(() => statSync(path, {throwIfNoEntry: false}));
  return found && !found.isFile() ? 'is in the way: a file must be here. Move or remove it' : undefined;
}

function faultOf(file: string, rule: string | undefined): Fault[] {
  return rule === undefined ? [] : [{file, rule}];
}

/** Undefined if a path does not exist, also if a file is in place of a folder above it, which is reported separately. */
function unlessMissing<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
}
