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

/** The changes of a build to the files below the root. Paths are from the root, sorted. */
export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
}

/** Compares a tree with the files on disk and those of the last build. Throws `InputError` if another file or a link is in the way. */
export function changesOf(root: string, tree: readonly TreeFile[], former?: readonly string[]): Changes {
  const pathsOf = (state: TreeFile['state']) => tree.flatMap(file => (file.state === state ? file.path : []));
  const [added, changed, unchanged] = [pathsOf('added').sort(), pathsOf('changed').sort(), pathsOf('unchanged')];
  const paths = new Set(tree.map(({path}) => path));
  refuse(obstacleFaults(root, [...paths, JOURNAL], [...changed, JOURNAL]));
  const owned = ownedOf(root, former);
  const stale = [...owned.paths].filter(path => !paths.has(path));
  refuse(obstacleFaults(root, stale, stale));
  const foreign = owned.known ? changed.filter(path => !owned.paths.has(path)) : [];
  refuse(
    foreign.map(file => ({code: 'FZ408', file, rule: 'exists, and no build wrote it', fix: 'Move or remove it.'})),
  );
  return {added, changed, removed: stale.filter(path => exists(join(root, path))).sort(), unchanged};
}

/** True if the files on disk are exactly the tree. */
export function isUpToDate({added, changed, removed}: Changes): boolean {
  return added.length + changed.length + removed.length === 0;
}

function exists(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isFile() === true;
}

/** Lists all paths that an unfinished build owned, old and new. */
export const JOURNAL = `${STAGING}/owned.json`;

/** The files that list all files of a build. */
const NAMING = [CATALOGUE_FILE, RULES_FILE];

/** The rule files of hosts. An outdated one may charge for fewer paths than the site sells. */
const RULE_FILES = [AWS_TEMPLATE, GITHUB_PAGES_FILE, WRANGLER_FILE];

/**
 * The files of earlier builds, which a build may remove or replace: those in the catalogue and the rules, those in the journal of a killed
 * build, and the rule files of every host if not all are known. `known` is false if the catalogue or the rules are unreadable, or missing
 * without a journal, so that there may be further files.
 * @param named the files listed in the catalogue and rules, if they are recorded
 */
function ownedOf(root: string, named?: readonly string[]) {
  const found = named ? [named] : namedIn(root);
  const journal = pathsIn(root, JOURNAL, stringsIn) ?? [];
  const paths = [...found.flatMap(each => each ?? []), ...journal];
  const isComplete = named !== undefined || !isOneMissing(root) || journal.length > 0;
  const known = isComplete && found.every(each => each !== undefined);
  return {paths: new Set([...paths.filter(isOutput), ...NAMING, ...(known ? [] : RULE_FILES)]), known};
}

/** A finished build always wrote both. A killed one may have removed the catalogue, but its journal has the same paths and more. */
function isOneMissing(root: string): boolean {
  return new Set(NAMING.map(file => existsSync(join(root, file)))).size > 1;
}

function namedIn(root: string): (string[] | undefined)[] {
  return [
    pathsIn(root, CATALOGUE_FILE, catalogue => namedPaths(catalogue).map(path => PUBLIC + path)),
    pathsIn(root, RULES_FILE, rules => stringsIn((rules as {hosts?: unknown} | undefined)?.hosts)),
  ];
}

/** The paths in a JSON file; none if it does not exist. Undefined if it is not JSON. */
function pathsIn(root: string, file: string, find: (value: unknown) => string[]): string[] | undefined {
  try {
    return find(JSON.parse(readFileSync(join(root, file), 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** True for a path inside `public/` or `paywall/rules/` without empty, `.` or `..` segments. */
export function isOutput(path: string): boolean {
  return /^(public|paywall\/rules)\/./.test(path) && path.split('/').every(part => !['', '.', '..'].includes(part));
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/**
 * Finds what prevents files from being written below the root: a link or a file in place of a parent folder, or a folder in place of a
 * file. With any of these a build writes and removes nothing.
 * @param paths the files whose parent folders are checked
 * @param files the files that are checked themselves
 */
export function obstacleFaults(root: string, paths: Iterable<string>, files: readonly string[]): Fault[] {
  const folders = new Set([...new Set([...paths].map(path => dirname(path)))].flatMap(withFoldersAbove));
  const faults: Fault[] = [];
  for (const folder of folders) {
    // Report an obstacle once for everything below it.
    if (faults.some(({file}) => folder.startsWith(`${file}/`))) continue;
    faults.push(...faultOf(folder, folderRule(join(root, folder))));
  }
  if (faults.length > 0) return faults;
  return files.flatMap(file => faultOf(file, fileRule(join(root, file))));
}

/** Returns `a` and `a/b` for `a/b`. */
function withFoldersAbove(folder: string): string[] {
  return folder === '.' ? [] : [...withFoldersAbove(dirname(folder)), folder];
}

function folderRule(path: string): string | undefined {
  const found = unlessMissing(() => lstatSync(path, {throwIfNoEntry: false}));
  if (found?.isSymbolicLink()) return `is a link to ${readlinkSync(path)}: the output must be in the root`;
  return found && !found.isDirectory() ? 'is in the way: a folder must be here' : undefined;
}

/** A link in place of a file is fine: renaming replaces it without following it. */
function fileRule(path: string): string | undefined {
  const found = unlessMissing(() => statSync(path, {throwIfNoEntry: false}));
  return found && !found.isFile() ? 'is in the way: a file must be here' : undefined;
}

function faultOf(file: string, rule: string | undefined): Fault[] {
  return rule === undefined ? [] : [{code: 'FZ408', file, rule}];
}

/** Undefined if a path does not exist, or if a file is in place of a parent folder, which is reported separately. */
function unlessMissing<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
}
