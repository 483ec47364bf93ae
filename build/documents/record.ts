import type {DocumentName} from '../../shared/paths.ts';
import type {Price} from '../../shared/price.ts';
import type {Json} from '../kinds/kind.ts';
import type {JsonSchema} from '../read/validator.ts';
import type {Point} from './publication.ts';
import type {Fingerprint} from './text.ts';

/** Everything that is said about a product outside its own documents: catalogue, rules, hosts and pages are made of these alone. */
export interface ProductRecord {
  /** Where the product is described, from the root. */
  readonly file: string;
  readonly name: string;
  readonly title: string;
  readonly kind: string;
  readonly price: Price;
  /** Completes "it …". */
  readonly difference: string;
  /** The names of the sources that were read. */
  readonly sources: readonly string[];
  /** The figures that are published. */
  readonly published: Point;
  /** The figures at every moment up to then, oldest first: the last are those that are published. */
  readonly history: readonly Point[];
  readonly goods: Goods;
  /** The sample's text, or the beginning of a long one. */
  readonly sample: Excerpt;
  /** A valid paid document that holds no row and no event: what a buyer's program can expect. */
  readonly example: Json;
  readonly documents: Readonly<Record<DocumentName, Fingerprint>>;
  /** Without title and address, which tell the schemas of products of one shape apart. */
  readonly schemas: Schemas;
}

/** How much is sold beside the figures. */
export interface Goods {
  readonly type: 'rows' | 'events';
  readonly sold: number;
  /** More than are sold where `max_rows` leaves some out. */
  readonly total: number;
  /** The columns of rows. */
  readonly columns: readonly string[];
  /** How many of them the sample shows. */
  readonly shown: number;
}

/** The beginning of a text: whole lines. */
export interface Excerpt {
  readonly text: string;
  /** How many lines follow. */
  readonly more: number;
}

/** JSON Schemas (draft 2020-12) of a product's documents. */
export interface Schemas {
  readonly sample: JsonSchema;
  readonly paid: JsonSchema;
  readonly history: JsonSchema;
}
