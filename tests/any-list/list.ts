/** A list as its publisher has it, at two moments, and what is sold of it. */
export interface List {
  readonly source: string;
  /** The name of its file. */
  readonly file: string;
  readonly first: Taken;
  /** With columns and classes that came later. */
  readonly second: Taken;
  /** What is sold of it, by name. */
  readonly products: Readonly<Record<string, object>>;
  /** What products say otherwise at the second moment, or for the first time. */
  readonly laterProducts: Readonly<Record<string, object>>;
  /** The products whose documents get members that strict buyers refuse, so that `review` must say so. */
  readonly breaking: readonly string[];
  /** Figures of each product at the second moment, counted by other means than the build's. */
  counted(): Readonly<Record<string, object>>;
}

/** A file that is frozen. */
export interface Taken {
  readonly bytes: Uint8Array;
  /** Further arguments of `frozen freeze`. */
  readonly args: readonly string[];
}
