import {hash} from 'node:crypto';
import {existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {deserialize, serialize} from 'node:v8';
import {ifReadable} from '../shared/if-readable.ts';
import {SITE_FILE} from '../shared/paths.ts';
import {isSameInput, isSameOutput, knownOutput, readNow, unlessRecent, type KnownFile} from './disk/known-file.ts';
import type {ProductRecord} from './documents/record.ts';
import type {SourceGroup} from './products/source-groups.ts';
import {listingOf, groupName} from './read/listing.ts';
import type {WitnessedFreeze} from './read/proofs.ts';
import type {SiteFiles} from './site/site-files.ts';
import type {SourceResult} from './source/compose-source.ts';
import {JOURNAL} from './write/changes.ts';
import type {TreeFile, Written} from './write/stage.ts';

/** An unchanged source group, which need not be composed: its inputs and documents are unchanged. */
export type CachedGroup = Pick<SourceGroup, 'sources' | 'shared'> &
  Pick<SourceResult, 'products' | 'records' | 'chains'> & {readonly written: readonly TreeFile[]};

/** The results of a build, and the cached source groups that it used. */
export interface Outcome {
  /** The files that describe site and products, recorded before they were read. */
  readonly inputs: readonly KnownFile[];
  readonly composed: ReadonlyMap<SourceGroup, SourceResult>;
  readonly known: readonly string[];
  readonly bundles: readonly string[];
  readonly witnessed: readonly WitnessedFreeze[];
  readonly siteFiles: SiteFiles;
}

type GroupHead = Pick<CachedGroup, 'sources' | 'shared' | 'products' | 'chains'>;
type SiteHead = Omit<SiteFiles, 'written'> & Pick<Outcome, 'bundles'>;

/** The result of a source group, or of the files of the site. Its records are in a separate file, because most builds do not read them. */
interface Entry {
  readonly name: string;
  /** A digest of the other inputs, for example the listing of the source folders. */
  readonly key: string;
  readonly inputs: readonly KnownFile[];
  readonly outputs: readonly KnownFile[];
  readonly head: unknown;
  /** The SHA-256 of the file of the source group's records. */
  readonly records?: string;
}

const SITE = '';
const RECORDS = '.records';
const DIGEST_BYTES = 32;

/**
 * The results of earlier builds of a site, in a folder that can be deleted at any time. As in the index of git, a file with an unchanged
 * stamp counts as unchanged.
 */
export class BuildCache {
  readonly #root: string;
  readonly #folder: string;
  readonly #entries = new Map<string, {readonly entry: Entry; readonly digest: string}>();
  readonly #unchanged: readonly Entry[];

  /** @param home the folder of the cache of all sites, which belongs to this version of the code */
  constructor(home: string, root: string) {
    this.#root = root;
    this.#folder = join(home, hash('sha256', realpathSync(root)));
    for (const file of ifReadable(() => readdirSync(this.#folder)) ?? []) {
      const found = file.endsWith(RECORDS) ? undefined : this.#load(file);
      if (!found) continue;
      const entry = JSON.parse(found.bytes.toString()) as Entry;
      this.#entries.set(entry.name, {entry, digest: found.digest});
    }
    const groups = [...this.#entries.values()].map(({entry}) => entry).filter(({name}) => name !== SITE);
    // A killed build may have left a partly written tree, so the cache is not used and all files are compared byte by byte.
    this.#unchanged = existsSync(join(root, JOURNAL)) ? [] : groups.filter(group => this.#isUnchanged(group));
  }

  /** The unchanged source groups by name. */
  groups(): ReadonlyMap<string, CachedGroup> {
    return new Map(
      this.#unchanged.flatMap(({name, head, outputs, records: digest}): [string, CachedGroup][] => {
        const found = this.#load(fileOf(name) + RECORDS);
        const written = outputs.map(({path}) => ({path, state: 'unchanged'}) as const);
        return found && found.digest === digest
          ? [[name, {...(head as GroupHead), records: deserialize(found.bytes) as ProductRecord[], written}]]
          : [];
      }),
    );
  }

  /** The result of the last build and all its files. Undefined if a file that it read or wrote, or the list of products, has changed. */
  unchangedBuild(productFiles: () => readonly string[]): (SiteHead & {readonly paths: readonly string[]}) | undefined {
    const site = this.#site(this.#unchanged.map(({name}) => name));
    if (!site) return undefined;
    const products = productFiles();
    const {bundles} = site.head as SiteHead;
    const inGroups = this.#unchanged.flatMap(({head}) => (head as GroupHead).products.map(({file}) => file));
    const known = new Set([...inGroups, ...bundles]);
    if (known.size !== products.length || !products.every(file => known.has(file))) return undefined;
    return {...(site.head as SiteHead), paths: [...this.#unchanged, site].flatMap(pathsOf)};
  }

  /** The files that the last build of the site wrote. Undefined if one of the files that list them has changed. */
  owned(): readonly string[] | undefined {
    const names = [...this.#entries.keys()].filter(name => name !== SITE);
    if (!this.#site(names)) return undefined;
    return [...this.#entries.values()].flatMap(({entry}) => pathsOf(entry));
  }

  /**
   * Stores the result of a build. If that fails, the next build is only slower.
   * @param started the disk time before the inputs were read
   * @param ended the disk time after the outputs were written
   */
  keep(
    {inputs, composed, known, bundles, witnessed, siteFiles: {written, ...site}}: Outcome,
    {started, ended}: {readonly started: number; readonly ended: number},
  ): void {
    const files = new Map(inputs.map(file => [file.path, file]));
    const names = new Set([...known, ...[...composed.keys()].map(({sources}) => groupName(sources))]);
    const filesOf = (inputs: readonly KnownFile[], written: readonly Written[]) => ({
      inputs: inputs.map(file => unlessRecent(file, started)),
      outputs: written.map(({path}) => unlessRecent(knownOutput(this.#root, path), ended)),
    });
    try {
      this.#removeOthers(names);
      mkdirSync(this.#folder, {recursive: true});
      for (const [{sources, shared}, {listing, read, written, products, records, chains}] of composed) {
        const name = groupName(sources);
        // An unchanged group is in `composed`, without products, if its rows were checked for a changed product over several sources.
        if (known.includes(name)) continue;
        const described = [SITE_FILE, ...products.map(({file}) => file)].flatMap(path => files.get(path) ?? []);
        const head: GroupHead = {sources, shared, products, chains};
        this.#enter({
          ...{name, key: listing, ...filesOf([...described, ...read], written), head},
          records: this.#save(fileOf(name) + RECORDS, serialize(records)),
        });
      }
      const described = [
        ...bundles.flatMap(path => files.get(path) ?? []),
        ...witnessed.flatMap(freeze => freeze.proofs).map(proof => proof.known),
      ];
      const head: SiteHead = {...site, bundles};
      this.#enter({name: SITE, key: this.#key(names), ...filesOf(described, written), head});
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    }
  }

  /** The entry of the files of the site, if it was stored for exactly these source groups and its files are unchanged. */
  #site(groups: readonly string[]): Entry | undefined {
    const site = this.#entries.get(SITE)?.entry;
    return site?.key === this.#key(groups) && this.#hasSameFiles(site) ? site : undefined;
  }

  #isUnchanged(group: Entry): boolean {
    return group.key === listingOf(this.#root, group.name.split('+')) && this.#hasSameFiles(group);
  }

  #hasSameFiles({inputs, outputs}: Entry): boolean {
    return inputs.every(file => isSameInput(this.#root, file)) && outputs.every(file => isSameOutput(this.#root, file));
  }

  #key(names: Iterable<string>): string {
    return hash('sha256', JSON.stringify([...names].sort().map(name => [name, this.#entries.get(name)?.digest])));
  }

  #removeOthers(names: ReadonlySet<string>): void {
    for (const name of [...this.#entries.keys()].filter(name => !names.has(name))) {
      for (const file of [fileOf(name), fileOf(name) + RECORDS]) rmSync(join(this.#folder, file), {force: true});
      this.#entries.delete(name);
    }
  }

  #enter(entry: Entry): void {
    const digest = this.#save(fileOf(entry.name), Buffer.from(JSON.stringify(entry)));
    this.#entries.set(entry.name, {entry, digest});
  }

  /** Writes bytes after their SHA-256. Returns the SHA-256. */
  #save(file: string, bytes: Buffer): string {
    const digest = hash('sha256', bytes);
    const path = join(this.#folder, file);
    writeFileSync(`${path}.new`, Buffer.concat([Buffer.from(digest, 'hex'), bytes]));
    renameSync(`${path}.new`, path);
    return digest;
  }

  /** The bytes in a file and their SHA-256. Undefined if the file cannot be read or its digest does not match. */
  #load(file: string): {readonly bytes: Buffer; readonly digest: string} | undefined {
    const sealed = ifReadable(() => readNow(join(this.#folder, file)));
    if (!sealed) return undefined;
    const [digest, bytes] = [sealed.toString('hex', 0, DIGEST_BYTES), sealed.subarray(DIGEST_BYTES)];
    return hash('sha256', bytes) === digest ? {bytes, digest} : undefined;
  }
}

function fileOf(name: string): string {
  return hash('sha256', name);
}

function pathsOf({outputs}: Entry): string[] {
  return outputs.map(({path}) => path);
}
