export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** One statement with `?` for each value. Its effect is on disk when it resolves. */
export type Query = (sql: string, values?: readonly Value[]) => Promise<Row[]>;

/** What differs between the databases that the books can be kept in. */
export interface Database {
  readonly query: Query;
  /** An expression: milliseconds since 1970, by the database's clock. */
  readonly now: string;
  /** Runs what it is given as one transaction that nobody else writes beside. */
  readonly alone: (work: (query: Query) => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
}
