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
import {systemFault} from '../disk/plain-file.ts';
import {makeFolders} from '../../shared/make-folders.ts';
import {fingerprintOf, type Fingerprint} from '../../shared/digest.ts';
import {STAGING, CATALOGUE_FILE} from '../../shared/paths.ts';
import {withUnchangedFiles} from '../documents/catalogue.ts';
import {isUpToDate, type Changes, JOURNAL, withFoldersAbove} from './changes.ts';

/** A file of the tree, compared with the disk. */
export interface TreeFile {
  /** From the root. */
  readonly path: string;
  readonly state: 'added' | 'changed' | 'unchanged';
}

/** A composed file. */
export interface Written extends TreeFile, Fingerprint {}

/** Receives the files of a tree as they are composed. */
export interface Output {
  /** Throws `InputError` on a disk error. */
  put(path: string, content: string | Uint8Array): Written;
}

/** Compares files with those on disk, and stages those that differ in a separate folder. */
export class Stage implements Output {
  readonly #root: string;
  readonly #check: boolean;
  readonly #prepared = new Set<string>();
  readonly #existing = new Map<string, boolean>();

  /** @param check only compare files, without staging */
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
      // A file is in place of a folder, which `obstacleFaults` reports later.
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

/** Removes the files staged by this build or a killed one. Its journal stays, because the next build needs it. */
export function clearStage(root: string): void {
  for (const folder of ['public', 'paywall']) rmSync(join(root, STAGING, folder), {recursive: true, force: true});
  try {
    rmdirSync(join(root, STAGING));
  } catch {
    // It does not exist, or contains the journal.
  }
}

/**
 * Makes the files below the root equal to the tree. All files were staged first, so a full disk changes nothing; now they are renamed into
 * place. The next build repairs a build that was killed at any time. The catalogue never lists a document that is missing or has other
 * bytes: while documents change, it lists only those that are complete.
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

/** Writes the journal of the files that belong to the build, and stages the catalogue even if it is unchanged. */
function prepare(root: string, tree: readonly TreeFile[], {removed, unchanged}: Changes): void {
  const paths = tree.map(({path}) => path);
  const staged = join(root, STAGING, CATALOGUE_FILE);
  mkdirSync(dirname(staged), {recursive: true});
  if (unchanged.includes(CATALOGUE_FILE)) copyFileSync(join(root, CATALOGUE_FILE), staged);
  writeFileSync(join(root, `${JOURNAL}.new`), JSON.stringify([...removed, ...paths]));
  renameSync(join(root, `${JOURNAL}.new`), join(root, JOURNAL));
}

/** Renames files into place, the catalogue last. A folder that does not exist yet is renamed as a whole. */
function commit(root: string, changes: Changes, touched: readonly string[], folders: Iterable<string>): void {
  const missing = missingFolders(root, folders);
  const moved = (path: string) => missing.find(folder => path.startsWith(`${folder}/`)) ?? path;
  const last = moved(CATALOGUE_FILE);
  const moves = new Set(touched.map(moved));
  moves.delete(last);
  if (last === CATALOGUE_FILE && (changes.changed.some(path => path !== last) || changes.removed.length > 0))
    publishUnchanged(root, changes);
  for (const path of [...moves, last]) renameSync(join(root, STAGING, path), join(root, path));
  for (const path of changes.removed) rmSync(join(root, path));
}

function missingFolders(root: string, folders: Iterable<string>): string[] {
  const all = new Set([...folders].flatMap(withFoldersAbove));
  const missing = new Set([...all].filter(folder => !existsSync(join(root, folder))));
  return [...missing].filter(folder => !missing.has(dirname(folder)));
}

function publishUnchanged(root: string, {unchanged}: Changes): void {
  const interim = `${STAGING}/standing.json`;
  const catalogue = readFileSync(join(root, STAGING, CATALOGUE_FILE), 'utf8');
  writeFileSync(join(root, interim), withUnchangedFiles(catalogue, new Set(unchanged)));
  renameSync(join(root, interim), join(root, CATALOGUE_FILE));
}
