import {DEPTH_RULE, MAX_DEPTH, MAX_RECORD_BYTES, RECORD_RULE} from '../../read/limits.ts';
import {HostileRecord, type Counted, type RecordCounter} from './counter.ts';

const [LF, SPACE, QUOTE, BACKSLASH, COMMA] = [0x0a, 0x20, 0x22, 0x5c, 0x2c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Counts the elements of a JSON array. A record is what stands between two commas of it, blank space included. */
export class JsonRecords implements RecordCounter {
  #records = 0;
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** Whether something stands between the comma before and here. */
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
      if (++this.#length > MAX_RECORD_BYTES) throw new HostileRecord(this.#startLine, RECORD_RULE);
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
    if (OPENING.has(byte) && ++this.#depth > MAX_DEPTH) throw new HostileRecord(this.#line, DEPTH_RULE);
  }
}
