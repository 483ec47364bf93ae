import {dirname} from 'node:path';
import {InputError} from '../fault.ts';
import type {Fingerprint, Text} from './text.ts';

/** Takes a file, by its path from the root, and tells what it is known by. */
export type OnFile = (path: string, text: Text) => Fingerprint;

export const PUBLIC = 'public';
export const RULES = 'paywall/rules';

/** The files of a tree. Their texts are handed on as they are composed, for those of many products would fill the memory. */
export class Files {
  /** By path from the root. */
  readonly fingerprints = new Map<string, Fingerprint>();
  readonly #onFile: OnFile;
  readonly #onKept: (path: string) => void;

  /** @param onKept is told of every file that stands already */
  constructor(onFile: OnFile, onKept: (path: string) => void = () => undefined) {
    [this.#onFile, this.#onKept] = [onFile, onKept];
  }

  /** One owner of every path: none is written twice, and none is outside `public/` and `paywall/rules/`. */
  put(path: string, text: Text): Fingerprint {
    this.#check(path);
    const fingerprint = this.#onFile(path, text);
    this.fingerprints.set(path, fingerprint);
    return fingerprint;
  }

  /** Adds a file that stands as it is to be. */
  keep(path: string, {sha256, bytes}: Fingerprint): void {
    this.#check(path);
    this.fingerprints.set(path, {sha256, bytes});
    this.#onKept(path);
  }

  #check(path: string): void {
    if (this.fingerprints.has(path)) throw new InputError({file: path, rule: 'is written twice'});
    if (path.split('/').includes('..') || !(isPublic(path) || dirname(path) === RULES)) {
      throw new InputError({file: path, rule: `is outside ${PUBLIC}/ and ${RULES}/`});
    }
  }
}

export function isPublic(path: string): boolean {
  return path.startsWith(`${PUBLIC}/`);
}
