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

  constructor(onFile: OnFile) {
    this.#onFile = onFile;
  }

  /** One owner of every path: none is written twice, and none is outside `public/` and `paywall/rules/`. */
  put(path: string, text: Text): Fingerprint {
    if (this.fingerprints.has(path)) throw new InputError({file: path, rule: 'is written twice'});
    if (path.split('/').includes('..') || !(isPublic(path) || dirname(path) === RULES)) {
      throw new InputError({file: path, rule: `is outside ${PUBLIC}/ and ${RULES}/`});
    }
    const fingerprint = this.#onFile(path, text);
    this.fingerprints.set(path, fingerprint);
    return fingerprint;
  }
}

export function isPublic(path: string): boolean {
  return path.startsWith(`${PUBLIC}/`);
}
