import {dirname} from 'node:path';
import {isPublic, PUBLIC, RULES} from '../../shared/paths.ts';
import {InputError} from '../../shared/fault.ts';
import type {Former, InParts} from './in-parts.ts';
import type {Fingerprint, Text} from '../documents/text.ts';

/** Takes a file, by its path from the root, and tells what it is known by. */
export type OnFile = (path: string, text: Text) => Fingerprint;

/** What is known of the tree that a build made before. */
export interface Before {
  /** Told of every file that stands as it is to be. */
  onKept(path: string): void;
  /** What a file told of products. */
  formerOf(path: string): Former | undefined;
}

/** The files of a tree. Their texts are handed on as they are composed, for those of many products would fill the memory. */
export class Files {
  /** By path from the root. */
  readonly fingerprints = new Map<string, Fingerprint>();
  /** Where the parts of files are that have them, by path from the root. */
  readonly places = new Map<string, InParts['places']>();
  readonly #onFile: OnFile;
  readonly #before: Before;

  constructor(onFile: OnFile, before: Before) {
    [this.#onFile, this.#before] = [onFile, before];
  }

  /** One owner of every path: none is written twice, and none is outside `public/` and `paywall/rules/`. */
  put(path: string, content: string | InParts): Fingerprint {
    this.#check(path);
    const isText = typeof content === 'string';
    if (!isText) this.places.set(path, content.places);
    const fingerprint = this.#onFile(path, isText ? content : this.textOf(path, content));
    this.fingerprints.set(path, fingerprint);
    return fingerprint;
  }

  /** The text of a file, made while it is written. */
  textOf(path: string, content: InParts): Text {
    return {[Symbol.iterator]: () => content.pieces(this.#before.formerOf(path))};
  }

  /** Adds a file that stands as it is to be. */
  keep(path: string, {sha256, bytes}: Fingerprint): void {
    this.#check(path);
    this.fingerprints.set(path, {sha256, bytes});
    this.#before.onKept(path);
  }

  #check(path: string): void {
    if (this.fingerprints.has(path)) throw new InputError({file: path, rule: 'is written twice'});
    if (/(^|\/)\.\.(\/|$)/.test(path) || !(isPublic(path) || dirname(path) === RULES)) {
      throw new InputError({file: path, rule: `is outside ${PUBLIC}/ and ${RULES}/`});
    }
  }
}
