import {hash} from 'node:crypto';
import {mkdirSync, readdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {deserialize, serialize} from 'node:v8';
import {ifReadable} from '../shared/if-readable.ts';
import {readNow} from './disk/known-file.ts';

/** The remembered result of one unit, or of the files of the site: which files it read, and which files it wrote. */
export interface Entry {
  readonly name: string;
  /** A digest of what else it was made of, beside this code. */
  readonly key: string;
  readonly inputs: Columns;
  readonly outputs: Columns;
  readonly head: unknown;
  /** Of a unit. */
  readonly records: Uint8Array;
}

/** Known files, a column each: of many, objects would take long to read. */
export interface Columns {
  readonly paths: readonly string[];
  readonly stamps: readonly (string | undefined)[];
  readonly digests: readonly (string | undefined)[];
  readonly sizes: readonly number[];
}

const DIGEST_BYTES = 32;

/** Entries in a folder, a file each that begins with the digest of its bytes; a file with another digest is passed over. */
export class Entries {
  readonly #folder: string;
  readonly #byName = new Map<string, {readonly entry: Entry; readonly digest: string}>();

  /** Reads all that are there. */
  constructor(folder: string) {
    this.#folder = folder;
    for (const file of ifReadable(() => readdirSync(folder)) ?? []) this.#load(file);
  }

  all(): readonly Entry[] {
    return [...this.#byName.values()].map(({entry}) => entry);
  }

  get(name: string): Entry | undefined {
    return this.#byName.get(name)?.entry;
  }

  digestOf(name: string): string | undefined {
    return this.#byName.get(name)?.digest;
  }

  /** Removes all that have other names. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const name of [...this.#byName.keys()].filter(name => !names.has(name))) {
      rmSync(this.#fileOf(name), {force: true});
      this.#byName.delete(name);
    }
  }

  save(entry: Entry): void {
    const bytes = serialize(entry);
    const digest = hash('sha256', bytes);
    const file = this.#fileOf(entry.name);
    mkdirSync(this.#folder, {recursive: true});
    writeFileSync(`${file}.new`, Buffer.concat([Buffer.from(digest, 'hex'), bytes]));
    renameSync(`${file}.new`, file);
    this.#byName.set(entry.name, {entry, digest});
  }

  #load(file: string): void {
    const sealed = ifReadable(() => readNow(join(this.#folder, file)));
    if (!sealed) return;
    const [digest, bytes] = [sealed.toString('hex', 0, DIGEST_BYTES), sealed.subarray(DIGEST_BYTES)];
    if (hash('sha256', bytes) !== digest) return;
    // The digest shows that the bytes are those that this version of the code wrote.
    const entry = deserialize(bytes) as Entry;
    this.#byName.set(entry.name, {entry, digest});
  }

  #fileOf(name: string): string {
    return join(this.#folder, hash('sha256', name));
  }
}
