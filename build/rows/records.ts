import type {Fault} from '../../shared/fault.ts';
import {MAX_RECORD_BYTES, RECORD_RULE, DEPTH_RULE, MAX_DEPTH} from '../read/limits.ts';

const [LF, SPACE, QUOTE, BACKSLASH, COMMA] = [0x0a, 0x20, 0x22, 0x5c, 0x2c];

/** Counts the records of a file from its bytes, in chunks of any size. */
export interface RecordCounter {
  /** Throws `RefusedRecord` if a record is longer or more deeply nested than allowed, or ambiguous. */
  push(chunk: Buffer): void;
  end(): Counted;
}

/** The result of counting. */
export interface Counted {
  /** Header included. */
  readonly records: number;
  readonly unclosed?: boolean;
  readonly quoted?: boolean;
}

/** A record that is too long, too deeply nested or ambiguous for the readers. */
export class RefusedRecord extends Error {
  /** The physical line on which it starts, 1-based. */
  readonly line: number;
  readonly fault: Pick<Fault, 'code' | 'rule' | 'fix'>;

  constructor(line: number, fault: RefusedRecord['fault']) {
    super(fault.rule);
    [this.line, this.fault] = [line, fault];
  }
}

export const TOO_LONG = {code: 'FZ109', rule: RECORD_RULE} as const;
const TOO_DEEP = {code: 'FZ109', rule: DEPTH_RULE} as const;

const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Counts the elements of a JSON array. A record is everything between two of its commas, spaces included. */
export class JsonRecords implements RecordCounter {
  #records = 0;
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** True if there is content since the previous comma. */
  #filled = false;
  #length = 0;
  #line = 1;
  #startLine = 1;

  push(chunk: Buffer): void {
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0;
      if (byte === LF) this.#line += 1;
      if (this.#inText) this.#text(byte);
      else if (byte > SPACE) this.#structure(byte);
      if (++this.#length > MAX_RECORD_BYTES) throw new RefusedRecord(this.#startLine, TOO_LONG);
    }
  }

  end(): Counted {
    return {records: this.#records};
  }

  #text(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else this.#inText = byte !== QUOTE;
  }

  #structure(byte: number): void {
    if (this.#depth === 1 && byte === COMMA) {
      [this.#filled, this.#length] = [false, 0];
      return;
    }
    if (CLOSING.has(byte)) {
      this.#depth -= 1;
      return;
    }
    if (this.#depth === 1 && !this.#filled) {
      this.#records += 1;
      [this.#filled, this.#startLine] = [true, this.#line];
    }
    this.#inText = byte === QUOTE;
    if (OPENING.has(byte) && ++this.#depth > MAX_DEPTH) throw new RefusedRecord(this.#line, TOO_DEEP);
  }
}

/** Counts the NDJSON lines that are not blank. */
export class NdjsonRecords implements RecordCounter {
  #records = 0;
  #line = 1;
  /** The bytes of the current line in earlier chunks, and true if all of them are blank. */
  #length = 0;
  #blank = true;

  push(chunk: Buffer): void {
    let rest = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, rest)) {
      this.#add(chunk, rest, end);
      if (!this.#blank) this.#records += 1;
      this.#line += 1;
      this.#length = 0;
      this.#blank = true;
      rest = end + 1;
    }
    this.#add(chunk, rest, chunk.length);
  }

  end(): Counted {
    return {records: this.#records + (this.#blank ? 0 : 1)};
  }

  #add(chunk: Buffer, start: number, end: number): void {
    this.#length += end - start;
    if (this.#length > MAX_RECORD_BYTES) throw new RefusedRecord(this.#line, TOO_LONG);
    for (let index = start; this.#blank && index < end; index++)
      this.#blank = (chunk[index] ?? 0) <= SPACE && chunk[index] !== 0;
  }
}
