import type {DocumentName, Format} from '../../shared/paths.ts';
import type {ListedEdition} from '../../shared/shapes.ts';
import type {Price} from '../../shared/price.ts';
import type {Words} from '../kinds/figures/labels.ts';
import type {Json, Content, Kind, Product, Shape} from '../kinds/kind.ts';
import type {JsonSchema} from '../read/validator.ts';
import type {ColumnWords} from '../read/table-schema.ts';
import type {ColumnTypes} from './row-files.ts';
import type {Fingerprint} from '../../shared/digest.ts';
import type {Picture} from '../kinds/figures/picture.ts';
import type {Freeze} from '../read/freezes.ts';

/** The figures of a product at one moment. */
export interface Point {
  readonly as_of: string;
  readonly figures: Json;
  /** The figures as the end of a sentence. */
  readonly finding: string;
  /** The figures, and how the product differs from its siblings. */
  readonly reason: string;
  readonly picture?: Picture;
}

/** A freeze in the words of documents. */
export type Frozen = Pick<Freeze, 'source' | 'as_of' | 'created' | 'about'>;

/** A product with what is published of it: its content at the latest moment, and the figures of every moment up to then. */
export interface Publication {
  readonly product: Product;
  readonly kind: Kind;
  /** The freezes that the content was computed from. */
  readonly freezes: readonly Frozen[];
  readonly content: Content;
  readonly published: Point;
  /** Every moment up to the published one, oldest first. */
  readonly history: readonly Point[];
  /** Of a pass: how many later snapshots a sale includes. */
  readonly next?: number | undefined;
  /** Of a bundle: the latest snapshots of each product in it, oldest first. */
  readonly snapshots?: Readonly<Record<string, readonly string[]>>;
  /** The shapes of the figures in the history, each once. */
  readonly shapes: readonly Shape[];
}

/** Everything that is said about a product outside its own documents: catalogue, rules, hosts and pages are made of these alone. */
export interface ProductRecord {
  /** Where the product is described, from the root. */
  readonly file: string;
  readonly name: string;
  readonly title: string;
  /** Its place among the products, where it has one. */
  readonly order?: number;
  readonly kind: string;
  readonly price: Price;
  /** Completes "it …". */
  readonly difference: string;
  /** The freezes that it was computed from. */
  readonly freezes: readonly Frozen[];
  /** The figures that are published. */
  readonly published: Point;
  /** When a newer snapshot is due, where the product says how often. */
  readonly next_expected?: string;
  /** The figures at every moment up to then, oldest first: the last are those that are published. */
  readonly history: readonly Point[];
  /** How its figures are called. */
  readonly words?: Words;
  readonly goods: Goods;
  /** Title, description and unit of the columns that are sold. */
  readonly columnWords: ColumnWords;
  /** Their types in Parquet files. */
  readonly columnTypes: ColumnTypes;
  /** A valid paid document that holds no row, no event and no value of a document of its own shape: what a buyer's program can expect. */
  readonly example: Json;
  readonly documents: Readonly<Record<DocumentName, Fingerprint>>;
  /** Its page for people. */
  readonly page: Fingerprint;
  /** Without title and address, which tell the schemas of products of one shape apart. */
  readonly schemas: Schemas;
  readonly pass?: Pass;
  /** Of a bundle: the latest snapshots of each product in it, oldest first. */
  readonly snapshots?: Readonly<Record<string, readonly string[]>>;
  /** The paid documents beside the first one. */
  readonly editions: readonly Edition[];
}

/** The record of which a page is made. */
export type UnpagedRecord = Omit<ProductRecord, 'page'>;

/** The order of products: by the number that they give, those without one last, then by name, by code unit. */
export function inOrder(a: ProductRecord, b: ProductRecord): number {
  const [first = Infinity, second = Infinity] = [a.order, b.order];
  if (first !== second) return first < second ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** A paid document beside the first one of its product: a part of the rows, or another format. */
export interface Edition extends Fingerprint {
  readonly format: Format;
  readonly part?: PartFacts | undefined;
  readonly rows: number;
}

/** A pass: a sale includes later snapshots. */
interface Pass {
  /** How many later snapshots. */
  readonly next: number;
}

/** How much is sold beside the figures. */
export interface Goods {
  readonly type: 'rows' | 'events' | 'document';
  readonly sold: number;
  /** More than are sold where `max_rows` leaves some out. */
  readonly total: number;
  /** The columns of rows, or the members of a document. */
  readonly columns: readonly string[];
  /** How many of them the sample shows. */
  readonly shown: number;
  /** The titles of the products whose documents it holds, where it is a bundle. */
  readonly holds?: readonly string[];
}

/** JSON Schemas (draft 2020-12) of a product's documents. */
export interface Schemas {
  readonly sample: JsonSchema;
  readonly paid: JsonSchema;
  readonly history: JsonSchema;
}

/** The member `part` of the catalogue: name, number, how many there are, and which rows it holds. */
export type PartFacts = NonNullable<ListedEdition['part']>;

/** A part of the rows of a product. */
export interface Part extends PartFacts {
  readonly rows: readonly Json[];
}

/** A part without its rows. */
export function factsOf({name, number, of, holds}: Part): PartFacts {
  return {name, number, of, holds};
}
