import {hash} from 'node:crypto';
import {join} from 'node:path';
import type {Document, Made, ProductDocuments} from '../documents/documents.ts';
import {PUBLIC} from '../../shared/paths.ts';
import type {Former, Place} from '../compose/in-parts.ts';
import type {Snapshot} from '../compute/compute.ts';
import type {Content, Product, Shape} from '../kinds/kind.ts';
import type {Moment, PlannedProduct} from '../products/moments.ts';
import {ifReadable} from '../disk/if-readable.ts';
import {once} from '../once.ts';
import {textWith} from '../disk/file-digest.ts';
import type {Site} from '../read/site.ts';
import {NAMING} from '../write/owned.ts';
import {lostOf, type Outputs} from './lost.ts';
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

/** The build that kept them. */
interface Last {
  readonly root: string;
  readonly outputs: Outputs;
  /** The products that it read, where they are the same now. */
  readonly products: Product[] | undefined;
}

/**
 * What builds made of products, kept in a file that may be deleted at any time: products of which nothing changed since need not be
 * computed anew. It is never believed without its digest, nor a document without its own.
 */
export class Kept {
  /** The products of the site, where they are as they were. */
  readonly products: Product[] | undefined;
  readonly #file: string;
  readonly #root: string;
  readonly #outputs: Outputs;
  /** The outputs that have other bytes now, or are gone: they are looked at from now on. */
  readonly #lost: Promise<ReadonlySet<string>>;
  #lines: ReadonlyMap<string, string> | undefined;
  #shared: Shared = {shapes: [], inParts: {}};
  /** By their names. */
  readonly #found = new Set<string>();

  constructor(file: string, {root, outputs, products}: Last) {
    [this.#file, this.#root, this.#outputs, this.products] = [file, root, outputs, products];
    this.#lost = lostOf(root, outputs);
  }

  /** What is known of a product: all that it was made of is as it was, and its documents stand. */
  async find(site: Site, plan: PlannedProduct): Promise<ProductDocuments | undefined> {
    const line = (this.#lines ??= this.#read()).get(keyOf(site, plan));
    if (line === undefined) return undefined;
    const {history: points, ...documents} = JSON.parse(line) as KeptProduct;
    const all = [documents.sample, documents.paid, ...documents.others];
    const lost = await this.#lost;
    const stands = ({path, sha256}: Document) => this.#outputs[PUBLIC + path] === sha256 && !lost.has(PUBLIC + path);
    if (!all.every(stands)) return undefined;
    const history = points.flatMap(point => this.#snapshotOf(plan.moments, point));
    const snapshot = history.at(-1);
    if (!snapshot || history.length < points.length) return undefined;
    this.#found.add(plan.product.name);
    return {...documents, computed: {...plan, snapshot, history}};
  }

  /** Lets go of what was read: that of many products would fill the memory. */
  close(): void {
    this.#lines = undefined;
  }

  /** What a file tells of the products that were found, where it stands as it was written. */
  formerOf(path: string): Former | undefined {
    const kept = this.#shared.inParts[path];
    const text = kept && ifReadable(() => textWith(kept.sha256, join(this.#root, path)));
    if (text === undefined) return undefined;
    const places = new Map(kept?.places.filter(([product]) => this.#found.has(product)));
    return product => {
      const place = places.get(product);
      return place && text.slice(place[0], place[0] + place[1]);
    };
  }

  /** The files that the last build wrote, where those that name them stand as it wrote them. */
  async owned(): Promise<readonly string[] | undefined> {
    const lost = await this.#lost;
    return NAMING.some(path => lost.has(path)) ? undefined : Object.keys(this.#outputs);
  }

  #snapshotOf(moments: readonly Moment[], {as_of, content}: KeptProduct['history'][number]): Snapshot[] {
    const moment = moments.find(candidate => candidate.as_of === as_of);
    const shape = this.#shared.shapes[content.shape];
    return moment && shape ? [{...moment, content: {...content, shape}}] : [];
  }

  /** A line of each product, by its key, where the file is whole. */
  #read(): ReadonlyMap<string, string> {
    const lines = readSealed(this.#file)?.split('\n') ?? [];
    const shared = lines.pop();
    if (shared !== undefined) this.#shared = JSON.parse(shared) as Shared;
    return new Map(lines.map(line => [line.slice(0, KEY_LENGTH), line.slice(KEY_LENGTH)]));
  }
}

const KEY_LENGTH = 64;
/** What is longer is computed anew sooner than kept. */
const LONGEST = 1 << 16;

/** Keeps these products, and no others. Throws the system's error where it cannot. */
export function keep(file: string, made: Made, outputs: Outputs): void {
  writeSealed(file, linesOf(made, outputs));
}

/** The products, then what they share. */
function* linesOf({site, products, places}: Made, outputs: Outputs): Iterable<string> {
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
  const files = [...places].map(
    ([path, ofFile]) => [path, {sha256: outputs[path] ?? '', places: [...ofFile]}] as const,
  );
  yield JSON.stringify({shapes: [...numbers.keys()], inParts: Object.fromEntries(files)} satisfies Shared);
}

/** SHA-256 of all that a product is made of, beside the code. */
function keyOf(site: Site, {product, moments}: Pick<PlannedProduct, 'product' | 'moments'>): string {
  const sites = once(digests, site, () => hash('sha256', JSON.stringify(site)));
  const tables = once(digests, moments, () =>
    hash('sha256', JSON.stringify(moments.map(({as_of, freezes}) => [as_of, [...freezes]]))),
  );
  return hash('sha256', JSON.stringify([sites, tables, product]));
}
/** Of what is the same for many products. */
const digests = new WeakMap<object, string>();
