import {hash} from 'node:crypto';
import {join} from 'node:path';
import type {Document, ProductDocuments} from '../compose/documents.ts';
import {PUBLIC} from '../compose/files.ts';
import type {Snapshot} from '../compute/compute.ts';
import type {Content, Shape} from '../compute/kind.ts';
import type {Moment, Planned} from '../compute/snapshots.ts';
import {once} from '../once.ts';
import {fileDigest} from '../read/file-digest.ts';
import type {Site} from '../read/site.ts';
import {readSealed, writeSealed} from './sealed.ts';

/** A product as it is kept: without what its key tells, and what was sold. */
interface KeptProduct extends Pick<ProductDocuments, 'sample' | 'paid' | 'others' | 'sold'> {
  readonly history: readonly {readonly as_of: string; readonly content: KeptContent}[];
}

/** Many products have one shape: each is kept once, and known by its number. */
type KeptContent = Omit<Content, 'shape'> & {readonly shape: number};

/**
 * What builds made of products, kept in a file that may be deleted at any time: products of which nothing changed since need not be
 * computed anew. It is never believed without its digest, nor a document without its own.
 */
export class Kept {
  readonly #file: string;
  #lines: ReadonlyMap<string, string> | undefined;
  #shapes: readonly Shape[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** What is known of a product: all that it was made of is as it was, and its documents stand. */
  find(root: string, site: Site, plan: Planned): ProductDocuments | undefined {
    this.#lines ??= this.#read();
    const line = this.#lines.get(keyOf(site, plan));
    if (line === undefined) return undefined;
    const {history: points, ...documents} = JSON.parse(line) as KeptProduct;
    if (![documents.sample, documents.paid, ...documents.others].every(document => stands(root, document)))
      return undefined;
    const history = points.flatMap(point => this.#snapshotOf(plan.moments, point));
    const snapshot = history.at(-1);
    if (!snapshot || history.length < points.length) return undefined;
    return {...documents, computed: {...plan, snapshot, history}};
  }

  /** Lets go of what was read: that of many products would fill the memory. */
  close(): void {
    this.#lines = undefined;
  }

  /** Keeps these products, and no others. Throws the system's error where it cannot. */
  write(site: Site, products: readonly ProductDocuments[]): void {
    writeSealed(this.#file, linesOf(site, products));
  }

  #snapshotOf(moments: readonly Moment[], {as_of, content}: KeptProduct['history'][number]): Snapshot[] {
    const moment = moments.find(candidate => candidate.as_of === as_of);
    const shape = this.#shapes[content.shape];
    return moment && shape ? [{...moment, content: {...content, shape}}] : [];
  }

  /** A line of each product, by its key, where the file is whole. */
  #read(): ReadonlyMap<string, string> {
    const [shapes = '[]', ...lines] = (readSealed(this.#file) ?? '[]').split('\n').toReversed();
    this.#shapes = JSON.parse(shapes) as Shape[];
    return new Map(lines.map(line => [line.slice(0, KEY_LENGTH), line.slice(KEY_LENGTH)]));
  }
}

const KEY_LENGTH = 64;
/** What is longer is computed anew sooner than kept. */
const LONGEST = 1 << 16;

/** The products, then the shapes that they have. */
function* linesOf(site: Site, products: readonly ProductDocuments[]): Iterable<string> {
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
  yield JSON.stringify([...numbers.keys()]);
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

function stands(root: string, {path, sha256}: Document): boolean {
  try {
    return fileDigest(join(root, PUBLIC + path)) === sha256;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return false;
  }
}
