/** Counts the records of one file from its bytes, in chunks of any size. */
export interface RecordCounter {
  /** Throws `HostileRecord` where a record is longer or deeper than it may be. */
  push(chunk: Buffer): void;
  /** Called once, after the last chunk. */
  end(): Counted;
}

/** What the bytes of a file hold. */
export interface Counted {
  /** Header included. */
  readonly records: number;
  /** Whether the file ends within a quoted value. */
  readonly unclosed?: boolean;
  /** Whether any byte is a quotation mark of CSV. */
  readonly quoted?: boolean;
}

/** A record that no reader gets to see. */
export class HostileRecord extends Error {
  /** 1-based physical line on which it starts. */
  readonly line: number;

  constructor(line: number, rule: string) {
    super(rule);
    this.line = line;
  }
}
