import type {Content, Json, Kind, Product, Shape} from '../kinds/kind.ts';
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
