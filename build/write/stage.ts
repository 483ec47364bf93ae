import {mkdirSync, rmdirSync, rmSync, statSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import type {OnFile} from '../compose/files.ts';
import {fingerprintOf, type Fingerprint, type Text} from '../documents/text.ts';
import {once} from '../once.ts';
import {fileDigest} from '../disk/file-digest.ts';
import {systemFault} from '../disk/system-fault.ts';
import {entriesOf} from '../disk/entries.ts';
import {STAGING} from './owned.ts';
import {writeText} from './write-text.ts';
import {Writer} from './writer.ts';

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
  /** What stood in the folders of the output before. */
  readonly #stood = new Map<string, ReturnType<typeof entriesOf>>();
  /** The folders that files are prepared in. */
  readonly #prepared = new Set<string>();
  #writer: Writer | undefined;
  #failure: unknown;

  /** @param check whether files are only compared */
  constructor(root: string, {check}: {check: boolean}) {
    this.#root = root;
    this.#check = check;
  }

  /** What fails here is told when all is composed: a publisher first wants to know what is wrong with the input. */
  readonly take: OnFile = (path, text) => {
    if (typeof text !== 'string' && !this.#check) return this.#takeLong(path, text);
    const fingerprint = fingerprintOf(text);
    this.#try(() => {
      const isUnchanged = this.#note(path, fingerprint) === 'unchanged';
      if (isUnchanged || typeof text !== 'string' || this.#check) return;
      this.#stage(path, (writer, staged) => {
        writer.write(staged, text);
      });
    });
    return fingerprint;
  };

  /** Notes a file that stands as it is to be. */
  readonly keep = (path: string): void => {
    this.unchanged.push(path);
  };

  /** Waits until all is prepared; throws what has failed. */
  async end(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure as Error;
    try {
      await this.#writer?.end();
    } catch (cause) {
      throw systemFault(this.#root, cause, 'written');
    }
  }

  /** Removes what was prepared and will not be used. */
  async clear(): Promise<void> {
    if (!this.#writer) return;
    await this.#writer.stop();
    try {
      this.#removeStaged();
      rmdirSync(join(this.#root, STAGING));
    } catch {
      // It is gone already, or holds the journal of a build that was killed: the next one clears it.
    }
  }

  /** What is made while it is written can be compared only afterwards; what need not be written need not be writable. */
  #takeLong(path: string, text: Text): Fingerprint {
    let staged: Fingerprint | undefined;
    let failure: unknown;
    try {
      staged = this.#stage(path, (_, file) => writeText(file, text));
    } catch (error) {
      failure = error;
    }
    const fingerprint = staged ?? fingerprintOf(text);
    this.#try(() => {
      const isUnchanged = this.#note(path, fingerprint) === 'unchanged';
      if (isUnchanged && staged) rmSync(join(this.#root, STAGING, path));
      if (!isUnchanged && !staged) throw failure as Error;
    });
    return fingerprint;
  }

  /** Notes what is to be done with a file. */
  #note(path: string, {sha256}: Fingerprint): 'added' | 'changed' | 'unchanged' {
    const state = this.#stateOf(path, sha256);
    this[state].push(path);
    return state;
  }

  #stateOf(path: string, sha256: string): 'added' | 'changed' | 'unchanged' {
    const found = join(this.#root, path);
    const entry = once(this.#stood, dirname(path), folder => entriesOf(join(this.#root, folder))).get(basename(path));
    // A link is what it leads to.
    const isFile = entry && (entry.isFile() || statSync(found, {throwIfNoEntry: false})?.isFile());
    if (isFile === undefined) return 'added';
    return isFile && fileDigest(found) === sha256 ? 'unchanged' : 'changed';
  }

  #try(step: () => void): void {
    if (this.#failure !== undefined) return;
    try {
      step();
    } catch (error) {
      this.#failure = error;
    }
  }

  #stage<T>(path: string, write: (writer: Writer, staged: string) => T): T {
    const staged = join(this.#root, STAGING, path);
    try {
      const writer = (this.#writer ??= this.#begin());
      if (!this.#prepared.has(dirname(path))) mkdirSync(dirname(staged), {recursive: true});
      this.#prepared.add(dirname(path));
      return write(writer, staged);
    } catch (cause) {
      throw systemFault(this.#root, cause, 'written');
    }
  }

  /** Nothing that a killed build has prepared may stay among what this one does. */
  #begin(): Writer {
    this.#removeStaged();
    return new Writer();
  }

  #removeStaged(): void {
    for (const folder of STAGED) rmSync(join(this.#root, STAGING, folder), {recursive: true, force: true});
  }
}
