import {MAX_RECORD_BYTES, RECORD_RULE, DEPTH_RULE, MAX_DEPTH} from '../read/limits.ts';

const [LF, CR, SPACE, QUOTE, BACKSLASH, COMMA] = [0x0a, 0x0d, 0x20, 0x22, 0x5c, 0x2c];
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The start of a record in a file: its offset in bytes (0-based) and its physical line (1-based). */
export interface RecordStart {
  readonly offset: number;
  readonly line: number;
}

/**
 * Finds the records of CSV (RFC 4180) as DuckDB does: a value is quoted if its first character except spaces is a quotation mark; a line
 * ends at CR LF, at LF and at a single CR; a blank line is a record only if there is one column.
 */
export class CsvRecords implements RecordCounter {
  readonly #delimiter: number;
  readonly #blankCounts: boolean;
  readonly #onRecord: ((start: RecordStart) => void) | undefined;
  #records = 0;
  #quoted = false;
  /** The bytes of a byte order mark, which is not part of the first record. */
  #mark = 0;
  /** Bytes before this chunk, and the offset of the current record, without the byte order mark. */
  #before = 0;
  #start = 0;
  #line = 1;
  #startLine = 1;
  /** True if the last byte is within a quoted value, ends one, is a CR, or if the current value has only spaces so far. */
  #inQuotes = false;
  #closing = false;
  #afterCr = false;
  #fresh = true;

  /** @param onRecord called with the start of each record, once its end is known, header included */
  constructor(delimiter: string, columns: number, onRecord?: (start: RecordStart) => void) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#blankCounts = columns === 1;
    this.#onRecord = onRecord;
  }

  push(whole: Buffer): void {
    if (this.#before === 0 && whole.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
      this.#mark = BYTE_ORDER_MARK.length;
    const chunk = this.#before === 0 ? whole.subarray(this.#mark) : whole;
    const quoted = chunk.includes(QUOTE);
    this.#quoted ||= quoted;
    const isPlain = !quoted && !this.#inQuotes && !this.#afterCr && !chunk.includes(CR);
    if (isPlain) this.#pushLines(chunk);
    else this.#pushBytes(chunk);
    this.#before += chunk.length;
    this.#checkLength(this.#before);
  }

  end(): Counted {
    if (this.#before > this.#start) this.#record();
    return {records: this.#records, quoted: this.#quoted, unclosed: this.#inQuotes};
  }

  /** Without quotation marks and CR, each line is a record. */
  #pushLines(chunk: Buffer): void {
    let rest = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, rest)) {
      this.#endLine(this.#before + end);
      rest = end + 1;
    }
    let last = chunk.length - 1;
    while (last >= rest && chunk[last] === SPACE) last -= 1;
    if (last >= rest) this.#fresh = chunk[last] === this.#delimiter;
    else if (rest > 0) this.#fresh = true;
    if (chunk.length > 0) this.#closing = false;
  }

  #pushBytes(chunk: Buffer): void {
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index];
      if (byte === LF || byte === CR) this.#lineEnd(byte, this.#before + index);
      else if (byte === QUOTE) this.#quote();
      else {
        if (byte !== SPACE) this.#fresh = byte === this.#delimiter && !this.#inQuotes;
        this.#closing = false;
      }
      this.#afterCr = byte === CR;
    }
  }

  #quote(): void {
    const [wasInQuotes, opens] = [this.#inQuotes, this.#closing || this.#fresh];
    this.#inQuotes = !wasInQuotes && opens;
    this.#closing = wasInQuotes;
    this.#fresh = false;
  }

  #lineEnd(byte: number, at: number): void {
    const isSecond = byte === LF && this.#afterCr;
    this.#closing = false;
    if (this.#inQuotes) {
      if (!isSecond) this.#line += 1;
      return;
    }
    this.#fresh = true;
    // The LF of CR LF. The CR has already ended the line.
    if (isSecond) this.#start = at + 1;
    else this.#endLine(at);
  }

  #endLine(at: number): void {
    this.#checkLength(at);
    if (at > this.#start || this.#blankCounts) this.#record();
    this.#line += 1;
    [this.#start, this.#startLine] = [at + 1, this.#line];
  }

  #record(): void {
    this.#records += 1;
    this.#onRecord?.({offset: this.#mark + this.#start, line: this.#startLine});
  }

  #checkLength(at: number): void {
    if (at - this.#start > MAX_RECORD_BYTES) throw new RecordTooLarge(this.#startLine, RECORD_RULE);
  }
}

/** Counts the records of a file from its bytes, in chunks of any size. */
export interface RecordCounter {
  /** Throws `RecordTooLarge` if a record is longer or more deeply nested than allowed. */
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

/** A record that is too long or too deeply nested for the readers. */
export class RecordTooLarge extends Error {
  /** The physical line on which it starts, 1-based. */
  readonly line: number;

  constructor(line: number, rule: string) {
    super(rule);
    this.line = line;
  }
}

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
      if (++this.#length > MAX_RECORD_BYTES) throw new RecordTooLarge(this.#startLine, RECORD_RULE);
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
    if (OPENING.has(byte) && ++this.#depth > MAX_DEPTH) throw new RecordTooLarge(this.#line, DEPTH_RULE);
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
    if (this.#length > MAX_RECORD_BYTES) throw new RecordTooLarge(this.#line, RECORD_RULE);
    for (let index = start; this.#blank && index < end; index++)
      this.#blank = (chunk[index] ?? 0) <= SPACE && chunk[index] !== 0;
  }
}
