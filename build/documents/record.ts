import type {DocumentName, Format} from '../../shared/paths.ts';
import type {ListedEdition} from '../../shared/shapes.ts';
import type {Words} from '../kinds/figures/labels.ts';
import type {Json, Content, Kind, Product, Shape} from '../kinds/kind.ts';
import type {JsonSchema} from '../read/validator.ts';
import type {ColumnWords} from '../read/table-schema.ts';
import type {ColumnTypes} from './row-files.ts';
import type {Fingerprint} from '../../shared/digest.ts';
import type {Chart} from '../kinds/figures/counts.ts';
import type {Freeze} from '../read/freezes.ts';

/** The figures of a product at one `as_of`. */
export interface Point {
  readonly as_of: string;
  readonly figures: Json;
  /** The figures as the end of a sentence. */
  readonly summary: string;
  /** The figures, and how the product differs from its siblings. */
  readonly reason: string;
  readonly chart?: Chart;
}

export type Frozen = Pick<Freeze, 'source' | 'as_of' | 'created' | 'about'>;

/** A product with its published content and the figures of all snapshots up to it. */
export interface Publication {
  readonly product: Product;
  readonly kind: Kind;
  readonly freezes: readonly Frozen[];
  readonly content: Content;
  readonly published: Point;
  /** Every snapshot up to the published one, oldest first. */
  readonly history: readonly Point[];
  /** For a pass: how many later snapshots a sale includes. */
  readonly next?: number | undefined;
  /** For a bundle: the latest snapshots of each product in it, oldest first. */
  readonly snapshots?: Readonly<Record<string, readonly string[]>>;
  readonly shapes: readonly Shape[];
}

/** The data of a product for its page. */
export interface UnpagedRecord
  extends
    Pick<Product, 'file' | 'name' | 'title' | 'order' | 'kind' | 'price' | 'difference'>,
    Pick<Publication, 'freezes' | 'published' | 'history' | 'snapshots'> {
  /** When a newer snapshot is due, if the product has a period. */
  readonly next_expected?: string;
  readonly words: Words;
  readonly paidContent: PaidContent;
  readonly columnWords: ColumnWords;
  readonly columnTypes: ColumnTypes;
  /** A valid paid document without rows, events or real values, as an example for buyers' programs. */
  readonly example: Json;
  readonly documents: Readonly<Record<DocumentName, Fingerprint>>;
  /** For a pass: how many later snapshots a sale includes. */
  readonly pass?: {readonly next: number};
  /** The paid documents other than the first one. */
  readonly editions: readonly Edition[];
}

/** The data of a product for catalogue, rules, hosts and the pages of the site. Its page and card have all figures of the history. */
export interface ProductRecord extends Omit<UnpagedRecord, 'published' | 'history'> {
  readonly published: Omit<Point, 'chart'>;
  /** Every snapshot up to the published one, oldest first. */
  readonly history: readonly Pick<Point, 'as_of' | 'reason'>[];
  readonly page: Fingerprint;
  /** HTML of the product in the list on the first page. */
  readonly card: string;
}

/** Compares products by `order` (those without one come last), then by name in code units. */
export function inOrder(a: ProductRecord, b: ProductRecord): number {
  const [first = Infinity, second = Infinity] = [a.order, b.order];
  if (first !== second) return first < second ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** A further paid document of a product: a part of the rows, or another format. */
export interface Edition extends Fingerprint {
  readonly format: Format;
  readonly part?: PartFacts | undefined;
  readonly rows: number;
}

/** How much is sold in addition to the figures. */
export interface PaidContent {
  readonly type: 'rows' | 'events' | 'document';
  readonly sold: number;
  /** More than `sold` if `max_rows` leaves out some. */
  readonly total: number;
  /** The columns of rows, or the members of a document. */
  readonly columns: readonly string[];
  /** How many of them the sample shows. */
  readonly shown: number;
  /** For a bundle: the titles of the products in it. */
  readonly holds?: readonly string[];
}

/** JSON Schemas (draft 2020-12) of a product's documents, without title and URL, so that products of the same shape share them. */
export interface Schemas {
  readonly sample: JsonSchema;
  readonly paid: JsonSchema;
  readonly history: JsonSchema;
}

/** The member `part` of the catalogue: name, number, number of parts, and which rows it contains. */
export type PartFacts = NonNullable<ListedEdition['part']>;

export interface Part {
  readonly facts: PartFacts;
  readonly rows: readonly Json[];
}
