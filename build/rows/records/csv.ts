import {MAX_RECORD_BYTES, RECORD_RULE} from '../../read/limits.ts';
import {HostileRecord, type Counted, type RecordCounter} from './json.ts';

const [LF, CR, SPACE, QUOTE] = [0x0a, 0x0d, 0x20, 0x22];
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Counts records of CSV (RFC 4180) as DuckDB cuts them: a value is quoted where a quotation mark stands first in it, spaces aside; a line
 * ends at CR LF, at LF and at a CR alone; a blank line is a record only where there is one column.
 */
export class CsvRecords implements RecordCounter {
  readonly #delimiter: number;
  readonly #blankCounts: boolean;
  #records = 0;
  #quoted = false;
  /** Bytes before this chunk, and the place of the first byte of the record at hand. */
  #before = 0;
  #start = 0;
  #line = 1;
  #startLine = 1;
  /** Whether the byte before is within a quoted value, ends one, is a CR, or nothing but spaces stands in the value so far. */
  #inQuotes = false;
  #closing = false;
  #afterCr = false;
  #fresh = true;

  constructor(delimiter: string, columns: number) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#blankCounts = columns === 1;
  }

  push(whole: Buffer): void {
    const chunk = this.#before === 0 ? withoutMark(whole) : whole;
    const quoted = chunk.includes(QUOTE);
    this.#quoted ||= quoted;
    const isPlain = !quoted && !this.#inQuotes && !this.#afterCr && !chunk.includes(CR);
    if (isPlain) this.#pushLines(chunk);
    else this.#pushBytes(chunk);
    this.#before += chunk.length;
    this.#checkLength(this.#before);
  }

  end(): Counted {
    if (this.#before > this.#start) this.#records += 1;
    return {records: this.#records, quoted: this.#quoted, unclosed: this.#inQuotes};
  }

  /** No quotation mark, no CR: a record is a line. */
  #pushLines(chunk: Buffer): void {
    let [start, lines, blank] = [this.#start - this.#before, 0, 0];
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      if (end - start > MAX_RECORD_BYTES) throw new HostileRecord(this.#startLine + lines, RECORD_RULE);
      if (end === start) blank += 1;
      lines += 1;
      start = end + 1;
    }
    this.#add(lines, blank, this.#before + start);
    const rest = Math.max(start, 0);
    let last = chunk.length - 1;
    while (last >= rest && chunk[last] === SPACE) last -= 1;
    if (last >= rest) this.#fresh = chunk[last] === this.#delimiter;
    else if (lines > 0) this.#fresh = true;
    if (chunk.length > 0) this.#closing = false;
  }

  #add(lines: number, blank: number, start: number): void {
    this.#records += this.#blankCounts ? lines : lines - blank;
    this.#line += lines;
    if (lines > 0) [this.#start, this.#startLine] = [start, this.#line];
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
    // The LF of CR LF: the CR has ended the line.
    if (isSecond) this.#start = at + 1;
    else this.#endLine(at);
  }

  #endLine(at: number): void {
    this.#checkLength(at);
    this.#add(1, at > this.#start ? 0 : 1, at + 1);
  }

  #checkLength(at: number): void {
    if (at - this.#start > MAX_RECORD_BYTES) throw new HostileRecord(this.#startLine, RECORD_RULE);
  }
}

function withoutMark(chunk: Buffer): Buffer {
  return chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk;
}
