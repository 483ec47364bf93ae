import {MAX_RECORD_BYTES, RECORD_RULE} from '../../read/limits.ts';
import {HostileRecord, type Counted, type RecordCounter} from './counter.ts';

const [LF, SPACE] = [0x0a, 0x20];

/** Counts the lines of NDJSON that hold something. */
export class NdjsonRecords implements RecordCounter {
  #records = 0;
  #line = 1;
  /** Bytes of the line at hand that earlier chunks had, and whether all of them are blank. */
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
    if (this.#length > MAX_RECORD_BYTES) throw new HostileRecord(this.#line, RECORD_RULE);
    for (let index = start; this.#blank && index < end; index++)
      this.#blank = (chunk[index] ?? 0) <= SPACE && chunk[index] !== 0;
  }
}
