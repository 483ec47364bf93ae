/** A list of a publisher at two dates, with its products. */
export interface List {
  readonly source: string;
  /** The name of its file. */
  readonly file: string;
  readonly first: Taken;
  /** The list at the second date, with new columns and classes. */
  readonly second: Taken;
  /** Its products, by name. */
  readonly products: Readonly<Record<string, object>>;
  /** Changed and new products at the second date. */
  readonly laterProducts: Readonly<Record<string, object>>;
  /** The products with new members in their documents, which strict buyers refuse. `review` must report them. */
  readonly breaking: readonly string[];
  /** Figures of each product at the second date, counted independently of the build. */
  counted(): Readonly<Record<string, object>>;
}

/** The file to freeze. */
export interface Taken {
  readonly bytes: Uint8Array;
  /** Further arguments of `frozen freeze`. */
  readonly args: readonly string[];
}
