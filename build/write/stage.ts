import {mkdirSync, rmdirSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {sha256} from '../cache/inputs.ts';
import type {Fingerprint, OnFile} from '../compose/files.ts';
import {refuse} from '../fault.ts';
import {systemFault} from '../system-fault.ts';
import {obstacleFaults} from './obstacles.ts';
import {JOURNAL, STAGING} from './owned.ts';

/** The folders that files are staged in, as they stand below the root. */
const STAGED = ['public', 'paywall'];

/** Takes files as they are composed: compares them with what stands, and prepares those that will be written in a folder beside. */
export class Stage {
  /** Paths from the root, in the order in which they were composed. */
  readonly added: string[] = [];
  readonly changed: string[] = [];
  readonly unchanged: string[] = [];
  readonly #root: string;
  readonly #check: boolean;
  readonly #folders = new Set<string>();
  #failure: unknown;

  /** @param check whether files are only compared */
  constructor(root: string, {check}: {check: boolean}) {
    this.#root = root;
    this.#check = check;
  }

  /** What fails here is told when all is composed: a publisher first wants to know what is wrong with the input. */
  readonly take: OnFile = (path, text, fingerprint) => {
    if (this.#failure !== undefined) return;
    try {
      const state = stateOf(join(this.#root, path), fingerprint);
      this[state].push(path);
      if (state !== 'unchanged' && !this.#check) this.#prepare(path, text);
    } catch (error) {
      this.#failure = error;
    }
  };

  /** Throws what has failed. */
  end(): void {
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  /** Removes what was prepared, and nothing else. */
  clear(): void {
    if (this.#folders.size === 0) return;
    for (const folder of STAGED) rmSync(join(this.#root, STAGING, folder), {recursive: true, force: true});
    try {
      rmdirSync(join(this.#root, STAGING));
    } catch {
      // A build that was killed has left its journal there.
    }
  }

  #prepare(path: string, text: string): void {
    if (this.#folders.size === 0) refuse(obstacleFaults(this.#root, [JOURNAL]));
    try {
      if (this.#folders.size === 0)
        for (const folder of STAGED) rmSync(join(this.#root, STAGING, folder), {recursive: true, force: true});
      const folder = dirname(path);
      if (!this.#folders.has(folder)) mkdirSync(join(this.#root, STAGING, folder), {recursive: true});
      this.#folders.add(folder);
      writeFileSync(join(this.#root, STAGING, path), text);
    } catch (cause) {
      throw systemFault(this.#root, cause, 'written');
    }
  }
}

function stateOf(path: string, {sha256: digest, bytes}: Fingerprint): 'added' | 'changed' | 'unchanged' {
  const found = statSync(path, {throwIfNoEntry: false});
  if (!found) return 'added';
  return found.isFile() && found.size === bytes && sha256(path) === digest ? 'unchanged' : 'changed';
}
