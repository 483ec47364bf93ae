export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** One statement with `?` for each value. Its effect is on disk when it resolves. */
export type Query = (sql: string, values?: readonly Value[]) => Promise<Row[]>;

/** A database that can hold a ledger. */
export interface Database {
  readonly query: Query;
  /** An expression: milliseconds since 1970, by the database's clock. */
  readonly now: string;
  /** Runs the work as one transaction, while no other process writes. */
  readonly transaction: (work: (query: Query) => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
}
