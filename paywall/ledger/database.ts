export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** Runs one statement, with `?` for each value. Its effect is on disk when the promise resolves. */
export type Query = (sql: string, values?: readonly Value[]) => Promise<Row[]>;

/** A database that can hold a ledger. */
export interface Database {
  readonly query: Query;
  /** A SQL expression for the current time in milliseconds since 1970, by the database's clock. */
  readonly now: string;
  /** Runs the work as one transaction. No other process writes in the meantime. */
  readonly transaction: (work: (query: Query) => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
}
