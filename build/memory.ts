import {hash} from 'node:crypto';
import {existsSync, realpathSync} from 'node:fs';
import {deserialize, serialize} from 'node:v8';
import type {ProductRecord} from './documents/record.ts';
import {join} from 'node:path';
import {isSameInput, isSameOutput, knownOutput, type KnownFile} from './disk/known-file.ts';
import {Entries, type Columns, type Entry} from './entries.ts';
import {unitName, type Unit} from './products/units.ts';
import {listingOf} from './read/listing.ts';
import {SITE_FILE} from '../shared/paths.ts';
import type {SiteFiles} from './site/site-files.ts';
import type {SourceResult} from './source/compose-source.ts';
import {JOURNAL} from './write/changes.ts';
import type {Written} from './write/stage.ts';

/** A unit that need not be composed: nothing that it was made of changed since, and its documents stand. */
export type KnownUnit = Pick<Unit, 'sources' | 'shared'> &
  Pick<SourceResult, 'products' | 'written' | 'records' | 'chains'>;

/** What a build has made beside what was known. */
export interface Outcome {
  /** The files that describe site and products, as they were before they were read. */
  readonly inputs: readonly KnownFile[];
  readonly composed: ReadonlyMap<Unit, SourceResult>;
  /** The names of the units that were known. */
  readonly known: readonly string[];
  /** The files of the bundles, which are made of the documents of other products. */
  readonly bundles: readonly string[];
  /** The proofs beside freezes, as they were before they were read. */
  readonly proofs: readonly KnownFile[];
  readonly siteFiles: SiteFiles;
}

type UnitHead = Pick<KnownUnit, 'sources' | 'shared' | 'products' | 'chains'>;
type SiteHead = Omit<SiteFiles, 'written'> & Pick<Outcome, 'bundles'>;

const SITE = '';

/**
 * What builds of a site made of its units, in a folder that may be deleted at any time. It is used as git uses its index: a file whose
 * stamp is the same is the same.
 */
export class Memory {
  readonly #root: string;
  readonly #entries: Entries;
  /** The units of which nothing changed. */
  readonly #standing: readonly Entry[];

  /** @param home the folder where this code, and no other, remembers the builds of all sites */
  constructor(home: string, root: string) {
    this.#root = root;
    this.#entries = new Entries(join(home, hash('sha256', realpathSync(root))));
    const units = this.#entries.all().filter(({name}) => name !== SITE);
    // What a build that was cut short has left is looked at byte by byte.
    this.#standing = existsSync(join(root, JOURNAL)) ? [] : units.filter(unit => this.#isUnchanged(unit));
  }

  /** The units of which nothing changed, by name. */
  units(): ReadonlyMap<string, KnownUnit> {
    return new Map(this.#standing.map(entry => [entry.name, knownUnit(entry)]));
  }

  /**
   * The report of the last build and all its files, where nothing changed: no file that it read or wrote, and not the list of products.
   *
   * @param productFiles finds the files of all products, from the root
   */
  standing(productFiles: () => readonly string[]): (SiteHead & {readonly paths: readonly string[]}) | undefined {
    const site = this.#site(this.#standing.map(({name}) => name));
    if (!site) return undefined;
    const products = productFiles();
    const {bundles} = site.head as SiteHead;
    const inUnits = this.#standing.flatMap(({head}) => (head as UnitHead).products.map(({file}) => file));
    const known = new Set([...inUnits, ...bundles]);
    if (known.size !== products.length || !products.every(file => known.has(file))) return undefined;
    return {...(site.head as SiteHead), paths: [...this.#standing, site].flatMap(({outputs}) => outputs.paths)};
  }

  /** Every file that the last build of the site wrote, where those that name them stand as it wrote them. */
  owned(): readonly string[] | undefined {
    const all = this.#entries.all();
    const units = all.map(({name}) => name).filter(name => name !== SITE);
    if (!this.#site(units)) return undefined;
    return all.flatMap(({outputs}) => outputs.paths);
  }

  /**
   * Remembers a build. Where it cannot, the next one is slower.
   *
   * @param moment when, by the disk's clock, the times of a file are too young to tell later changes of it
   */
  keep({inputs, composed, known, bundles, proofs, siteFiles: {written, ...site}}: Outcome, moment: number): void {
    const files = new Map(inputs.map(file => [file.path, file]));
    const names = new Set([...known, ...[...composed.keys()].map(({sources}) => unitName(sources))]);
    const outputs = (all: readonly Written[]) =>
      fileColumns(all.map(({path, sha256, bytes}) => knownOutput(this.#root, {path, sha256, bytes}, moment)));
    try {
      this.#entries.keepOnly(names);
      for (const [{sources, shared}, {listing, read, written, products, records, chains}] of composed) {
        const described = [SITE_FILE, ...products.map(({file}) => file)].flatMap(path => files.get(path) ?? []);
        this.#entries.save({
          name: unitName(sources),
          key: listing,
          inputs: fileColumns([...described, ...read]),
          outputs: outputs(written),
          head: {sources, shared, products, chains} satisfies UnitHead,
          records: serialize(records),
        });
      }
      this.#entries.save({
        name: SITE,
        key: this.#key(names),
        inputs: fileColumns([...bundles.flatMap(path => files.get(path) ?? []), ...proofs]),
        outputs: outputs(written),
        head: {...site, bundles} satisfies SiteHead,
        records: new Uint8Array(),
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    }
  }

  /** What is known of the files that tell of all products, where these are all units and those files stand. */
  #site(units: readonly string[]): Entry | undefined {
    const entry = this.#entries.get(SITE);
    return entry?.key === this.#key(units) && this.#stands(entry) ? entry : undefined;
  }

  #isUnchanged(unit: Entry): boolean {
    return unit.key === listingOf(this.#root, unit.name.split('+')) && this.#stands(unit);
  }

  #stands({inputs, outputs}: Entry): boolean {
    return (
      inputs.paths.every((_, row) => isSameInput(this.#root, fileIn(inputs, row))) &&
      outputs.paths.every((_, row) => isSameOutput(this.#root, fileIn(outputs, row)))
    );
  }

  /** A digest of what is known of units. */
  #key(names: Iterable<string>): string {
    return hash('sha256', JSON.stringify([...names].sort().map(name => [name, this.#entries.digestOf(name)])));
  }
}

function knownUnit({head, records, outputs: {paths, digests, sizes}}: Entry): KnownUnit {
  const written = paths.map((path, row) => {
    return {path, sha256: digests[row] ?? '', bytes: sizes[row] ?? 0, state: 'unchanged'} as const;
  });
  return {
    ...(head as UnitHead),
    written,
    // Most builds that change something need them, and a build in which nothing changed does not.
    get records() {
      return deserialize(records) as ProductRecord[];
    },
  };
}

function fileIn({paths, stamps, digests}: Columns, row: number): KnownFile {
  return {path: paths[row] ?? '', stamp: stamps[row], sha256: digests[row]};
}

function fileColumns(files: readonly (KnownFile & {readonly bytes?: number})[]): Columns {
  return {
    paths: files.map(({path}) => path),
    stamps: files.map(({stamp}) => stamp),
    digests: files.map(({sha256}) => sha256),
    sizes: files.map(({bytes = 0}) => bytes),
  };
}
