import {hash} from 'node:crypto';
import {join} from 'node:path';
import type {Made} from '../build.ts';
import type {Document, ProductDocuments} from '../compose/documents.ts';
import {PUBLIC} from '../compose/files.ts';
import type {Former, Place} from '../compose/in-parts.ts';
import type {Snapshot} from '../compute/compute.ts';
import type {Content, Product, Shape} from '../compute/kind.ts';
import type {Moment, Planned} from '../compute/snapshots.ts';
import {ifReadable} from '../if-readable.ts';
import {once} from '../once.ts';
import {textWith} from '../read/file-digest.ts';
import type {Site} from '../read/site.ts';
import {NAMING} from '../write/owned.ts';
import type {Outputs} from './lost.ts';
import {readSealed, writeSealed} from './sealed.ts';

/** A product as it is kept: without what its key tells, and what was sold. */
interface KeptProduct extends Pick<ProductDocuments, 'sample' | 'paid' | 'others' | 'sold'> {
  readonly history: readonly {readonly as_of: string; readonly content: KeptContent}[];
}

/** Many products have one shape: each is kept once, and known by its number. */
type KeptContent = Omit<Content, 'shape'> & {readonly shape: number};

/** What is kept of all products together. */
interface Shared {
  readonly shapes: readonly Shape[];
  /** The files that have a part of each product, by path from the root: where it is, by the product's name. */
  readonly inParts: Readonly<
    Record<string, {readonly sha256: string; readonly places: readonly (readonly [string, Place])[]}>
  >;
}

/** What the build wrote that kept them. */
interface Before {
  readonly outputs: Outputs;
  /** Those that have other bytes now, or are gone. */
  readonly lost: Promise<ReadonlySet<string>>;
  /** The products that it read, where they are the same now. */
  readonly products: Product[] | undefined;
}

/**
 * What builds made of products, kept in a file that may be deleted at any time: products of which nothing changed since need not be
 * computed anew. It is never believed without its digest, nor a document without its own.
 */
export class Kept {
  readonly #file: string;
  #lines: ReadonlyMap<string, string> | undefined;
  #shared: Shared = {shapes: [], inParts: {}};
  readonly #found = new WeakSet<ProductDocuments>();
  readonly #last: Before | undefined;

  /** @param last the build that kept them */
  constructor(file: string, last?: Before) {
    [this.#file, this.#last] = [file, last];
  }

  /** The products of the site, where they are as they were. */
  get products(): Product[] | undefined {
    return this.#last?.products;
  }

  /** What is known of a product: all that it was made of is as it was, and its documents stand. */
  async find(site: Site, plan: Planned): Promise<ProductDocuments | undefined> {
    const line = (this.#lines ??= this.#read()).get(keyOf(site, plan));
    if (line === undefined) return undefined;
    const {history: points, ...documents} = JSON.parse(line) as KeptProduct;
    const all = [documents.sample, documents.paid, ...documents.others];
    const lost = await this.#last?.lost;
    const stands = ({path, sha256}: Document) =>
      this.#last?.outputs[PUBLIC + path] === sha256 && !lost?.has(PUBLIC + path);
    if (!all.every(stands)) return undefined;
    const history = points.flatMap(point => this.#snapshotOf(plan.moments, point));
    const snapshot = history.at(-1);
    if (!snapshot || history.length < points.length) return undefined;
    const found = {...documents, computed: {...plan, snapshot, history}};
    this.#found.add(found);
    return found;
  }

  /** Lets go of what was read: that of many products would fill the memory. */
  close(): void {
    this.#lines = undefined;
  }

  /** What a file tells of the products that were found, where it stands as it was written. */
  formerOf(root: string, path: string): Former {
    const kept = this.#shared.inParts[path];
    const text = kept && ifReadable(() => textWith(kept.sha256, join(root, path)));
    if (text === undefined) return () => undefined;
    const byName = new Map(kept?.places);
    return documents => {
      const place = this.#found.has(documents) && byName.get(documents.computed.product.name);
      return place ? text.slice(place[0], place[0] + place[1]) : undefined;
    };
  }

  /** The files that the last build wrote, where those that name them stand as it wrote them. */
  async owned(): Promise<readonly string[] | undefined> {
    const lost = await this.#last?.lost;
    return this.#last && !NAMING.some(path => lost?.has(path)) ? Object.keys(this.#last.outputs) : undefined;
  }

  /** Keeps these products, and no others. Throws the system's error where it cannot. */
  write(made: Made, outputs: Readonly<Record<string, string>>): void {
    writeSealed(this.#file, linesOf(made, outputs));
  }

  #snapshotOf(moments: readonly Moment[], {as_of, content}: KeptProduct['history'][number]): Snapshot[] {
    const moment = moments.find(candidate => candidate.as_of === as_of);
    const shape = this.#shared.shapes[content.shape];
    return moment && shape ? [{...moment, content: {...content, shape}}] : [];
  }

  /** A line of each product, by its key, where the file is whole. */
  #read(): ReadonlyMap<string, string> {
    const [shared, ...lines] = readSealed(this.#file)?.split('\n').toReversed() ?? [];
    if (shared !== undefined) this.#shared = JSON.parse(shared) as Shared;
    return new Map(lines.map(line => [line.slice(0, KEY_LENGTH), line.slice(KEY_LENGTH)]));
  }
}

const KEY_LENGTH = 64;
/** What is longer is computed anew sooner than kept. */
const LONGEST = 1 << 16;

/** The products, then what they share. */
function* linesOf({site, products, places}: Made, outputs: Readonly<Record<string, string>>): Iterable<string> {
  const numbers = new Map<Shape, number>();
  for (const {computed, sample, paid, others, sold} of products) {
    const history = computed.history.map(({as_of, content}) => {
      const shape = once(numbers, content.shape, () => numbers.size);
      return {as_of, content: {...content, shape}};
    });
    const kept: KeptProduct = {sample, paid, others, sold, history};
    const line = JSON.stringify(kept);
    if (line.length <= LONGEST) yield `${keyOf(site, computed)}${line}\n`;
  }
  const files = [...places].map(([path, ofFile]) => {
    const byName = [...ofFile].map(([{computed}, place]) => [computed.product.name, place] as const);
    return [path, {sha256: outputs[path] ?? '', places: byName}] as const;
  });
  const shared: Shared = {shapes: [...numbers.keys()], inParts: Object.fromEntries(files)};
  yield JSON.stringify(shared);
}

/** SHA-256 of all that a product is made of, beside the code. */
function keyOf(site: Site, {product, moments}: Pick<Planned, 'product' | 'moments'>): string {
  const sites = once(digests, site, () => hash('sha256', JSON.stringify(site)));
  const tables = once(digests, moments, () =>
    hash('sha256', JSON.stringify(moments.map(({as_of, freezes}) => [as_of, [...freezes]]))),
  );
  return hash('sha256', JSON.stringify([sites, tables, product]));
}
/** Of what is the same for many products. */
const digests = new WeakMap<object, string>();
