import {MAX_RECORD_BYTES} from '../read/limits.ts';
import {RefusedRecord, TOO_LONG, type Counted, type RecordCounter} from './records.ts';

const [LF, CR, SPACE, QUOTE] = [0x0a, 0x0d, 0x20, 0x22];
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
/** DuckDB ignores one space before a quotation mark. With several, the marks are a part of the value. */
const SPACES = {
  code: 'FZ105',
  rule: 'has a value with several spaces before its quotation mark',
  fix: 'Remove the spaces outside of quotation marks.',
} as const;

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
  /** Bytes before this chunk, and the offset of the current record. */
  #before = 0;
  #start = 0;
  #line = 1;
  #startLine = 1;
  /** True if the last byte is within a quoted value, ends one, is a CR, or if the current value has only spaces so far. */
  #inQuotes = false;
  #closing = false;
  #afterCr = false;
  #fresh = true;
  /** The number of spaces directly before this byte. */
  #spaces = 0;

  /** @param onRecord called with the start of each record, once its end is known, header included */
  constructor(delimiter: string, columns: number, onRecord?: (start: RecordStart) => void) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#blankCounts = columns === 1;
    this.#onRecord = onRecord;
  }

  push(whole: Buffer): void {
    // A byte order mark is not part of the first record.
    const isMarked = this.#before === 0 && whole.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    if (isMarked) this.#before = this.#start = BYTE_ORDER_MARK.length;
    const chunk = isMarked ? whole.subarray(BYTE_ORDER_MARK.length) : whole;
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
    this.#spaces = last >= rest || rest > 0 ? chunk.length - 1 - last : this.#spaces + chunk.length;
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
        this.#spaces = byte === SPACE ? this.#spaces + 1 : 0;
        this.#closing = false;
      }
      this.#afterCr = byte === CR;
    }
  }

  #quote(): void {
    if (this.#fresh && this.#spaces > 1) throw new RefusedRecord(this.#startLine, SPACES);
    const [wasInQuotes, opens] = [this.#inQuotes, this.#closing || this.#fresh];
    this.#inQuotes = !wasInQuotes && opens;
    this.#closing = wasInQuotes;
    this.#fresh = false;
    this.#spaces = 0;
  }

  #lineEnd(byte: number, at: number): void {
    const isSecond = byte === LF && this.#afterCr;
    this.#closing = false;
    if (this.#inQuotes) {
      if (!isSecond) this.#line += 1;
      return;
    }
    this.#fresh = true;
    this.#spaces = 0;
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
    this.#onRecord?.({offset: this.#start, line: this.#startLine});
  }

  #checkLength(at: number): void {
    if (at - this.#start > MAX_RECORD_BYTES) throw new RefusedRecord(this.#startLine, TOO_LONG);
  }
}
