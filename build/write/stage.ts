import {
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileDigest} from '../disk/known-file.ts';
import {systemFault} from '../disk/system-fault.ts';
import {makeFolders} from '../../shared/make-folders.ts';
import {fingerprintOf, type Fingerprint} from '../../shared/digest.ts';
import {STAGING, CATALOGUE_FILE} from '../../shared/paths.ts';
import {withStanding} from '../documents/catalogue.ts';
import {isUpToDate, type Changes, JOURNAL, withFoldersAbove} from './changes.ts';

/** A file of the tree, and what is to be done with it. */
export interface TreeFile {
  /** From the root. */
  readonly path: string;
  readonly state: 'added' | 'changed' | 'unchanged';
}

/** A file that was composed. */
export interface Written extends TreeFile, Fingerprint {}

/** Takes the files of a tree as they are composed. */
export interface Output {
  /** Throws `InputError` where the disk refuses. */
  put(path: string, content: string | Uint8Array): Written;
}

/** Compares files with what stands, and prepares those that differ in a folder beside. */
export class Stage implements Output {
  readonly #root: string;
  readonly #check: boolean;
  /** The folders that files are prepared in. */
  readonly #prepared = new Set<string>();
  /** Folders of the output, and whether they exist. */
  readonly #existing = new Map<string, boolean>();

  /** @param check whether files are only compared */
  constructor(root: string, {check}: {readonly check: boolean}) {
    [this.#root, this.#check] = [root, check];
  }

  put(path: string, content: string | Uint8Array): Written {
    const fingerprint = fingerprintOf(content);
    const state = this.#stateOf(path, fingerprint);
    if (state !== 'unchanged' && !this.#check) this.#prepare(path, content);
    return {path, ...fingerprint, state};
  }

  #stateOf(path: string, {sha256, bytes}: Fingerprint): Written['state'] {
    const file = `${this.#root}/${path}`;
    const folder = path.slice(0, path.lastIndexOf('/'));
    const exists = this.#existing.get(folder) ?? existsSync(join(this.#root, folder));
    this.#existing.set(folder, exists);
    if (!exists) return 'added';
    try {
      const found = statSync(file, {throwIfNoEntry: false});
      if (!found) return 'added';
      return found.isFile() && found.size === bytes && fileDigest(file) === sha256 ? 'unchanged' : 'changed';
    } catch (cause) {
      // A file in place of a folder: that is told when all is composed.
      if ((cause as NodeJS.ErrnoException).code === 'ENOTDIR') return 'added';
      throw systemFault(this.#root, cause, 'read');
    }
  }

  #prepare(path: string, content: string | Uint8Array): void {
    const file = `${this.#root}/${STAGING}/${path}`;
    const folder = file.slice(0, file.lastIndexOf('/'));
    try {
      if (!this.#prepared.has(folder)) makeFolders(folder);
      this.#prepared.add(folder);
      writeFileSync(file, content);
    } catch (cause) {
      throw systemFault(this.#root, cause, 'written');
    }
  }
}

/** Removes what was prepared, by this build or by one that was killed. Its journal stays: the next build needs it. */
export function clearStage(root: string): void {
  for (const folder of ['public', 'paywall']) rmSync(join(root, STAGING, folder), {recursive: true, force: true});
  try {
    rmdirSync(join(root, STAGING));
  } catch {
    // It is gone already, or holds the journal.
  }
}

/**
 * Makes the files below the root be the tree. Everything was staged first, so that a full disk changes nothing; now files are renamed into
 * place. A build killed at any moment is repaired by the next one, and at no moment does the catalogue name a document that is missing or
 * has other bytes: while documents change, it names only those that are complete.
 */
export function write(root: string, tree: readonly TreeFile[], changes: Changes): void {
  const touched = [...changes.added, ...changes.changed].filter(path => path !== CATALOGUE_FILE);
  const folders = new Set([...touched, ...changes.removed, CATALOGUE_FILE].map(path => dirname(path)));
  try {
    if (!isUpToDate(changes)) {
      for (const folder of folders) if (existsSync(join(root, folder))) accessSync(join(root, folder), constants.W_OK);
      prepare(root, tree, changes);
      commit(root, changes, touched, folders);
    }
    rmSync(join(root, STAGING), {recursive: true, force: true});
  } catch (cause) {
    throw systemFault(root, cause, 'written');
  }
}

/** Records which files belong to the build, and stages the catalogue even if it does not change. */
function prepare(root: string, tree: readonly TreeFile[], {removed, unchanged}: Changes): void {
  const paths = tree.map(({path}) => path);
  const staged = join(root, STAGING, CATALOGUE_FILE);
  mkdirSync(dirname(staged), {recursive: true});
  if (unchanged.includes(CATALOGUE_FILE)) copyFileSync(join(root, CATALOGUE_FILE), staged);
  writeFileSync(join(root, `${JOURNAL}.new`), JSON.stringify([...removed, ...paths]));
  renameSync(join(root, `${JOURNAL}.new`), join(root, JOURNAL));
}

/** Renames into place, the catalogue last. What goes into a folder that is not there yet goes with the folder. */
function commit(root: string, changes: Changes, touched: readonly string[], folders: Iterable<string>): void {
  const missing = missingFolders(root, folders);
  const moved = (path: string) => missing.find(folder => path.startsWith(`${folder}/`)) ?? path;
  const last = moved(CATALOGUE_FILE);
  const moves = new Set(touched.map(moved));
  moves.delete(last);
  if (last === CATALOGUE_FILE && (changes.changed.some(path => path !== last) || changes.removed.length > 0))
    publishStanding(root, changes);
  for (const path of [...moves, last]) renameSync(join(root, STAGING, path), join(root, path));
  for (const path of changes.removed) rmSync(join(root, path));
}

/** The folders that are not there, without those below them. */
function missingFolders(root: string, folders: Iterable<string>): string[] {
  const all = new Set([...folders].flatMap(withFoldersAbove));
  const missing = new Set([...all].filter(folder => !existsSync(join(root, folder))));
  return [...missing].filter(folder => !missing.has(dirname(folder)));
}

/** Replaces the catalogue by one of the files that do not change. */
function publishStanding(root: string, {unchanged}: Changes): void {
  const standing = `${STAGING}/standing.json`;
  const catalogue = readFileSync(join(root, STAGING, CATALOGUE_FILE), 'utf8');
  writeFileSync(join(root, standing), withStanding(catalogue, new Set(unchanged)));
  renameSync(join(root, standing), join(root, CATALOGUE_FILE));
}
