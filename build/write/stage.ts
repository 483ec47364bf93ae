import {rmSync, rmdirSync, statSync, writeFileSync, accessSync, constants, existsSync, renameSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileDigest} from '../disk/known-file.ts';
import {systemFault} from '../disk/plain-file.ts';
import {makeFolders} from '../../shared/make-folders.ts';
import {fingerprintOf, type Fingerprint} from '../../shared/digest.ts';
import {STAGING, CATALOGUE_FILE} from '../../shared/paths.ts';
import {isUpToDate, type Changes, JOURNAL} from './changes.ts';

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

/** Returns an output that compares files with those on disk and, unless it only checks, stages those that differ. */
export function stageIn(root: string, {check}: {readonly check: boolean}): Output {
  return {
    put(path, content) {
      const fingerprint = fingerprintOf(content);
      const state = stateOf(root, path, fingerprint);
      if (state !== 'unchanged' && !check) stage(root, path, content);
      return {path, ...fingerprint, state};
    },
  };
}

function stateOf(root: string, path: string, {sha256, bytes}: Fingerprint): Written['state'] {
  const file = `${root}/${path}`;
  try {
    const found = statSync(file, {throwIfNoEntry: false});
    if (!found) return 'added';
    return found.isFile() && found.size === bytes && fileDigest(file) === sha256 ? 'unchanged' : 'changed';
  } catch (cause) {
    // A file is in place of a folder, which `obstacleFaults` reports later.
    if ((cause as NodeJS.ErrnoException).code === 'ENOTDIR') return 'added';
    throw systemFault(root, cause, 'read');
  }
}

function stage(root: string, path: string, content: string | Uint8Array): void {
  const file = `${root}/${STAGING}/${path}`;
  try {
    makeFolders(dirname(file));
    writeFileSync(file, content);
  } catch (cause) {
    throw systemFault(root, cause, 'written');
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
 * bytes: it is removed while documents change.
 */
export function write(root: string, tree: readonly TreeFile[], changes: Changes): void {
  const touched = [...changes.added, ...changes.changed];
  const folders = new Set([...touched, ...changes.removed].map(path => join(root, dirname(path))));
  try {
    if (!isUpToDate(changes)) {
      for (const folder of folders) if (existsSync(folder)) accessSync(folder, constants.W_OK);
      writeJournal(root, [...changes.removed, ...tree.map(({path}) => path)]);
      for (const folder of folders) makeFolders(folder);
      if (touched.includes(CATALOGUE_FILE)) rmSync(join(root, CATALOGUE_FILE), {force: true});
      for (const path of changes.removed) rmSync(join(root, path));
      const isLast = (path: string) => path === CATALOGUE_FILE;
      for (const path of [...touched.filter(path => !isLast(path)), ...touched.filter(isLast)])
        renameSync(join(root, STAGING, path), join(root, path));
    }
    rmSync(join(root, STAGING), {recursive: true, force: true});
  } catch (cause) {
    throw systemFault(root, cause, 'written');
  }
}

/** Writes the paths of the files that belong to the build. */
function writeJournal(root: string, paths: readonly string[]): void {
  makeFolders(join(root, STAGING));
  writeFileSync(join(root, `${JOURNAL}.new`), JSON.stringify(paths));
  renameSync(join(root, `${JOURNAL}.new`), join(root, JOURNAL));
}
