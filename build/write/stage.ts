import {rmSync, rmdirSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileDigest} from '../disk/known-file.ts';
import {makeFolders, systemFault} from '../disk/system-fault.ts';
import {fingerprintOf, type Fingerprint} from '../documents/seal.ts';
import {STAGING} from '../../shared/paths.ts';

/** A file of the tree, and what is to be done with it. */
export interface Written extends Fingerprint {
  /** From the root. */
  readonly path: string;
  readonly state: 'added' | 'changed' | 'unchanged';
}

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
    const file = join(this.#root, path);
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
    const file = join(this.#root, STAGING, path);
    const folder = dirname(file);
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
