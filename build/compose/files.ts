import {dirname} from 'node:path';
import {sha256} from '../compute/signing.ts';
import {InputError} from '../fault.ts';

/** What buyers can know a file by. */
export interface Fingerprint {
  /** Lower-case hex SHA-256 of its bytes. */
  readonly sha256: string;
  readonly bytes: number;
}

/** Takes a file: its path from the root, its text, and what that is known by. */
export type OnFile = (path: string, text: string, fingerprint: Fingerprint) => void;

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
  put(path: string, text: string): Fingerprint {
    if (this.fingerprints.has(path)) throw new InputError({file: path, rule: 'is written twice'});
    if (path.split('/').includes('..') || !(isPublic(path) || dirname(path) === RULES)) {
      throw new InputError({file: path, rule: `is outside ${PUBLIC}/ and ${RULES}/`});
    }
    const fingerprint = {sha256: sha256(text), bytes: Buffer.byteLength(text)};
    this.fingerprints.set(path, fingerprint);
    this.#onFile(path, text, fingerprint);
    return fingerprint;
  }
}

export function isPublic(path: string): boolean {
  return path.startsWith(`${PUBLIC}/`);
}
