import type {Fault} from '../../shared/fault.ts';
import type {Format} from '../../shared/paths.ts';
import type {Words} from './figures/labels.ts';
import type {Price} from '../../shared/price.ts';
import type {Freeze} from '../read/freezes.ts';
import type {JsonSchema} from '../read/validator.ts';
import type {Chart} from './figures/counts.ts';
import type {ColumnWords} from '../read/table-schema.ts';
import type {Questions} from '../rows/scan.ts';
import type {Read, Table} from '../rows/table.ts';

/** How often a product has a newer snapshot. */
export const PERIODS = ['day', 'week', 'month', 'quarter', 'year'] as const;

export type Period = (typeof PERIODS)[number];

/** A product for sale: a file of `data/products/` with defaults filled in. Kinds add their own members. */
export interface Product extends Words {
  /** Path of its file, from the root. */
  readonly file: string;
  /** The last segment of the paid path: the name in the file, or else the slug of its title. */
  readonly name: string;
  /** The member that the name came from. */
  readonly namedBy: 'name' | 'title';
  readonly title: string;
  readonly kind: string;
  readonly price: Price;
  /** The frozen source. A kind that reads several tables may use another member. */
  readonly source?: string;
  /** The date of the freeze that is published, if the product pins one. */
  readonly freeze?: string;
  /** How often a newer snapshot is due, if that is published. */
  readonly every?: Period;
  /** Its position among the products: lower numbers first, products without one last. */
  readonly order?: number;
  /** The difference from other products, completing "it …". */
  readonly difference: string;
  readonly siblings: readonly string[];
  /** Set if the documents must state that no listing is claimed (specification, "What the service does", 4). */
  readonly listed?: false;
}

/** The statement of products with `listed: false` (specification, "What the service does", 4). */
export const NEVER_LISTED = 'listed=true is never invented.';

/** JSON Schema of the name of a product. */
export const productName = {
  type: 'string',
  pattern: '^[a-z0-9]+$',
  description: 'a product name: lower-case letters and digits',
} as const;

/** JSON Schema of the member `listed` of a product. */
export const listedProperty = {listed: {const: false}} as const;

/** The smallest file limit of all hosts, in bytes: 25 MiB. */
export const MOST_BYTES = 25 * 1024 * 1024;

export type Json = Readonly<Record<string, unknown>>;

/** The content of one product at one freeze, computed by its kind. */
export interface Content {
  /** The figures in the order of the documents. They are in the history, the summary and the free part of the paid document. */
  readonly figures: Json;
  /** The figures as the end of a sentence, without a full stop. */
  readonly summary: string;
  /** The figures as a chart. Without one they are shown as a list. */
  readonly chart?: Chart;
  /** The sample's members after the common ones, in order. A member `sha256` is filled in later. */
  readonly sample: Json;
  /** The rows and columns that the sample shows. */
  readonly examples?: readonly Json[];
  readonly paidContent: PaidRows | PaidEvents | PaidMembers;
  readonly shape: Shape;
}

/** JSON Schemas of a content. */
export interface Shape {
  /** Schemas of the members of `figures`. */
  readonly figures: Json;
  /** Schemas of the members of `sample`. */
  readonly sample: Json;
  /** The schema of one row for sale. Undefined if events or a document are sold. */
  readonly row?: JsonSchema;
  /** The names of its columns of 64-bit integers. Their schema does not show it, because JSON documents have large values as strings. */
  readonly int64?: readonly string[];
  readonly columnWords?: ColumnWords;
  /** Schemas of the members of a document for sale. */
  readonly document?: Readonly<Record<string, JsonSchema>>;
}

/** Rows for sale, in the order of their key: at most `max_rows` of `total`. */
export interface PaidRows {
  readonly type: 'rows';
  readonly rows: readonly Json[];
  readonly total: number;
  /** For a product sold in parts: how its rows are divided, and the rows of all parts. */
  readonly parts?: {readonly by: PartRule; readonly rows: readonly Json[]};
  readonly formats: readonly Format[];
}

/** How rows are divided into parts: by the values of a named column, or by a number of rows. */
export type PartRule = string | number;

/** Signed events. The paid document is exactly the bundle. */
export interface PaidEvents {
  readonly type: 'events';
  readonly events: readonly Json[];
  readonly pubkey_hint: string;
}

/** A document with its own shape: these members, after the figures. */
export interface PaidMembers {
  readonly type: 'document';
  readonly members: Json;
  /** For a bundle: the titles of the products in it. */
  readonly holds?: readonly string[];
}

/** A frozen table that a product reads. */
export interface TableRef {
  readonly name: string;
  readonly source: string;
  /** True for the freeze before the latest one. */
  readonly before: boolean;
}

interface KindBase<P extends Product> {
  readonly name: string;
  /** JSON Schemas of the members that this kind adds to `data/products/*.json`. */
  readonly product: {readonly properties: Record<string, JsonSchema>; readonly required: readonly string[]};
  /** True if the documents of a product with `listed: false` have this member too. They have the statement in any case. */
  readonly hasListed: boolean;
  /** Further statements that reason and note must contain. */
  readonly statements: readonly string[];
  /** Returns one sentence for each contradiction between figures of a sample or paid document. */
  disagreements(document: Json): string[];
  /** Members that all samples and paid documents of this kind have, and those of other kinds lack. */
  readonly marks?: readonly string[];
  /** Errors of members that exclude each other. `given` are the members in the product's file. */
  faults?(product: P, given: ReadonlySet<string>): Fault[];
  /** The tables that a product reads, the main one first. By default `rows`, its source. */
  tables?(product: P): TableRef[];
}

/** How a product is computed: one file in `build/kinds/`, whose default export is its `Kind`. */
export type Kind<P extends Product = Product> = RowsKind<P> | EventsKind<P> | TablesKind<P> | DocumentsKind<P>;

export interface RowsKind<P extends Product = Product> extends KindBase<P> {
  readonly reads: 'rows';
  /** Returns measures and row checks for the scan of a freeze. Throws `InputError` if the table lacks a column or class. */
  ask(product: P, freeze: Freeze, table: Table): Questions & {answer(read: Read): Content};
}

/** A frozen, unsigned event. `payment_required` is the only type (specification, Events). */
export interface Event {
  readonly type: 'payment_required';
  readonly payload: {readonly sku: string; readonly http_status: 402; readonly settle_success: false};
}

export interface EventsKind<P extends Product = Product> extends KindBase<P> {
  readonly reads: 'events';
  /** Reads the events of a freeze, in order. Throws `InputError` for events of another type. */
  read(freeze: Freeze): readonly Event[];
  answer(product: P, events: readonly Event[]): Content;
}

export interface TablesKind<P extends Product = Product> extends KindBase<P> {
  readonly reads: 'tables';
  /** Returns the reader of frozen tables for all products of a build. The caller closes it. */
  open(): Tables<P>;
}

/** A reader of frozen tables. */
export interface Tables<P extends Product = Product> {
  /**
   * Answers one product at a time, from freezes by the names of their tables. Their rows have been checked before. Tables stay loaded as
   * long as the same map is passed. Throws `InputError` if the product cannot be answered.
   */
  answer(product: P, freezes: ReadonlyMap<string, Freeze>): Promise<Answer>;
  /** Stops the process, and with it an answer that is being computed. `answer` can still be called after that. */
  close(): void;
}

/** The content of a product from frozen tables. */
export interface Answer {
  readonly content: Content;
  /** The statements whose result depends on the order of rows. */
  readonly unsteady: readonly Fault[];
}

/** A kind whose products contain documents of other products. */
export interface DocumentsKind<P extends Product = Product> extends KindBase<P> {
  readonly reads: 'documents';
  /** The names of the products whose paid documents a product contains, in order. */
  holds(product: P): readonly string[];
  /** How many later snapshots a sale includes. Undefined if each snapshot is a separate sale. */
  next(product: P): number | undefined;
  answer(product: P, bundled: readonly BundledDocument[]): Content;
}

/** A paid document that is part of a bundle. */
export interface BundledDocument {
  readonly name: string;
  readonly title: string;
  readonly as_of: string;
  /** The price of the document when sold separately, `$<decimal>`. */
  readonly price: string;
  /** Absolute URLs of the document and its sample. */
  readonly url: string;
  readonly sample: string;
  /** SHA-256 of its bytes when sold separately. */
  readonly sha256: string;
  readonly document: Json;
  readonly schema: JsonSchema;
}
