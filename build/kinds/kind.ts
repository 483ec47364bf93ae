import type {Fault} from '../../shared/fault.ts';
import type {Format} from '../../shared/paths.ts';
import type {Words} from './figures/labels.ts';
import type {Price} from '../../shared/price.ts';
import type {Freeze} from '../read/freezes.ts';
import type {Event} from '../read/events.ts';
import type {JsonSchema} from '../read/validator.ts';
import type {Picture} from './figures/picture.ts';
import type {ColumnWords} from '../read/table-schema.ts';
import type {Questions} from '../rows/scan.ts';
import type {Read, Table} from '../rows/table.ts';

/** How often a product has a newer snapshot. */
export const PERIODS = ['day', 'week', 'month', 'quarter', 'year'] as const;

export type Period = (typeof PERIODS)[number];

/** Something for sale: a file of `data/products/`, read and complete. A kind adds members of its own. */
export interface Product extends Words {
  /** Where it was read from, below the root. */
  readonly file: string;
  /** Last segment of the paid path: as the product gives it, else the slug of its title. */
  readonly name: string;
  /** The member that the name came from. */
  readonly namedBy: 'name' | 'title';
  readonly title: string;
  readonly kind: string;
  readonly price: Price;
  /** The frozen source; a kind that reads several tables may name its sources otherwise. */
  readonly source?: string;
  /** The date of the freeze that is published, where the product pins one. */
  readonly freeze?: string;
  /** How often a newer snapshot is due, where buyers are told. */
  readonly every?: Period;
  /** Its place among the products: those with a lower number come first, those without one last. */
  readonly order?: number;
  /** What this product does, completing "it …". */
  readonly difference: string;
  readonly siblings: readonly string[];
  /** Given if the documents must state that no listing is claimed (specification, "What the service does", 4). */
  readonly listed?: false;
}

/** The sentence of lists that list somebody (specification, "What the service does", 4). */
export const NEVER_LISTED = 'listed=true is never invented.';

/** JSON Schema of the member `listed` of a product. */
export const listedProperty = {listed: {const: false}} as const;

/** The smallest limit that any of the hosts sets on a file, in bytes: 25 MiB. */
export const MOST_BYTES = 25 * 1024 * 1024;

export type Json = Readonly<Record<string, unknown>>;

/** What a kind found out about one product at one freeze. */
export interface Content {
  /** The figures in the order of the documents: the history's points, the summary, the free part of the paid document. */
  readonly figures: Json;
  /** The figures as the end of a sentence, without a full stop. */
  readonly finding: string;
  /** The figures as a picture for people; without one they are shown as a list. */
  readonly picture?: Picture;
  /** The sample's members after the common ones, in order; a member `sha256` is sealed later. */
  readonly sample: Json;
  /** The rows that the sample shows, with the columns that it shows of them. */
  readonly examples?: readonly Json[];
  /** What is sold beside the figures. */
  readonly goods: RowGoods | EventGoods | DocumentGoods;
  readonly shape: Shape;
}

/** JSON Schemas of what a content holds. */
export interface Shape {
  /** Of the members of `figures`. */
  readonly figures: Json;
  /** Of the members of `sample`. */
  readonly sample: Json;
  /** Of one row for sale; none where events or a document are sold. */
  readonly row?: JsonSchema;
  /** The names of its columns of 64-bit integers: their schema does not say so, because JSON documents have large values as texts. */
  readonly int64?: readonly string[];
  /** Of its columns: title, description and unit. */
  readonly columnWords?: ColumnWords;
  /** Of the members of a document that is sold. */
  readonly document?: Readonly<Record<string, JsonSchema>>;
}

/** Rows as read, in the order of their key: at most `max_rows` of `total`. */
export interface RowGoods {
  readonly type: 'rows';
  readonly rows: readonly Json[];
  readonly total: number;
  /** Where a product is sold in parts: how its rows are divided, and all the rows that the parts hold. */
  readonly parts?: {readonly by: PartRule; readonly rows: readonly Json[]};
  /** In which formats every document of rows is sold. */
  readonly formats: readonly Format[];
}

/** How rows are divided into parts: by the values of a column, which is named, or by a number of rows. */
export type PartRule = string | number;

/** Signed events; the paid document is exactly the bundle. */
export interface EventGoods {
  readonly type: 'events';
  readonly events: readonly Json[];
  readonly pubkey_hint: string;
}

/** A document of its own shape: these members, after the figures. */
export interface DocumentGoods {
  readonly type: 'document';
  readonly members: Json;
  /** The titles of the products whose documents it holds, where it is a bundle. */
  readonly holds?: readonly string[];
}

/** A frozen table that a product reads. */
export interface TableRef {
  readonly name: string;
  readonly source: string;
  /** The freeze before the one that a table without this would be. */
  readonly before: boolean;
}

interface KindBase<P extends Product> {
  readonly name: string;
  /** JSON Schemas of the members that this kind adds to `data/products/*.json`. */
  readonly product: {readonly properties: Record<string, JsonSchema>; readonly required: readonly string[]};
  /** Whether the documents of a product with `listed: false` have this member too. They have the sentence in any case. */
  readonly hasListed: boolean;
  /** Sentences that reason and note must carry beside the common ones. */
  readonly statements: readonly string[];
  /** Sentences about figures of a sample or paid document that do not agree with one another; none where all do. */
  disagreements(document: Json): string[];
  /** Members that every sample and paid document of this kind has, and those of other kinds lack, where there are such. */
  readonly marks?: readonly string[];
  /**
   * Faults of members that do not go together.
   *
   * @param given the members that the product's file has itself
   */
  faults?(product: P, given: ReadonlySet<string>): Fault[];
  /** The tables that a product reads, the main one first; by default `rows`, its source. */
  tables?(product: P): TableRef[];
}

/** How a product is computed: one file in `build/kinds/`, whose default export is its `Kind`. */
export type Kind<P extends Product = Product> = RowsKind<P> | EventsKind<P> | TablesKind<P> | DocumentsKind<P>;

export interface RowsKind<P extends Product = Product> extends KindBase<P> {
  readonly reads: 'rows';
  /** The measures and rules that it adds to the scan of a freeze. Throws `InputError` where the table lacks a column or class that the product names. */
  ask(product: P, freeze: Freeze, table: Table): Questions & {answer(read: Read): Content};
}

export interface EventsKind<P extends Product = Product> extends KindBase<P> {
  readonly reads: 'events';
  answer(product: P, freeze: Freeze, events: readonly Event[]): Content;
}

export interface TablesKind<P extends Product = Product> extends KindBase<P> {
  readonly reads: 'tables';
  /** Opens frozen tables, whose rows were checked before, by their names, for all products over them. Whoever opens them closes them. */
  open(freezes: ReadonlyMap<string, Freeze>): Tables<P>;
}

/** Frozen tables that products ask. */
export interface Tables<P extends Product = Product> {
  /** Answers one product at a time. Throws `InputError` where its questions cannot be answered. */
  answer(product: P): Promise<Answer>;
  close(): void;
}

/** An answer over frozen tables. */
export interface Answer {
  readonly content: Content;
  /** The statements of the product that give another result for the same rows in another order. */
  readonly unsteady: readonly Fault[];
}

/** A kind whose products hold documents of others. */
export interface DocumentsKind<P extends Product = Product> extends KindBase<P> {
  readonly reads: 'documents';
  /** The names of the products whose paid documents a product holds, in their order. */
  holds(product: P): readonly string[];
  /** How many later snapshots whoever pays for it gets as well; nothing where each is a sale of its own. */
  next(product: P): number | undefined;
  answer(product: P, held: readonly Held[]): Content;
}

/** A paid document that another product holds. */
export interface Held {
  readonly name: string;
  readonly title: string;
  readonly as_of: string;
  /** The price of the document where it is sold alone, `$<decimal>`. */
  readonly price: string;
  /** Absolute addresses, of the document and of its sample. */
  readonly url: string;
  readonly sample: string;
  /** Of its bytes, as it is sold alone. */
  readonly sha256: string;
  readonly document: Json;
  readonly schema: JsonSchema;
}
