import {InputError, mapAll} from '../../shared/fault.ts';
import type {Freeze} from '../read/freezes.ts';
import {chunksOf} from './lines.ts';
import {HostileRecord, type Counted, type RecordCounter} from './records/counter.ts';
import {CsvRecords} from './records/csv.ts';
import {JsonRecords} from './records/json.ts';
import {NdjsonRecords} from './records/ndjson.ts';

/** What the bytes of a list's files tell before DuckDB reads them. */
export interface Survey {
  /** Size of the files, unpacked. */
  readonly bytes: number;
  /** Rows that the bytes hold, headers left out; undefined of Parquet, whose bytes are no text. */
  readonly rows: number | undefined;
  /** Whether there is a quotation mark in the files. */
  readonly quoted: boolean;
  /** The first file that ends within a quoted value. */
  readonly unclosed: string | undefined;
}

/**
 * Reads all files of a list and counts the records that they hold, so that no reader can leave one out in silence. Throws `InputError`
 * where a record is longer than `MAX_RECORD_BYTES`, or nested deeper than `MAX_DEPTH`, and where a gzip file is broken.
 *
 * @param columns how many columns the list has
 */
export async function survey(root: string, freeze: Freeze, columns: number): Promise<Survey> {
  const counters = {
    csv: () => new CsvRecords(freeze.delimiter, columns),
    ndjson: () => new NdjsonRecords(),
    json: () => new JsonRecords(),
    parquet: undefined,
  };
  const counterFor = counters[freeze.format];
  if (!counterFor) return {bytes: freeze.bytes, rows: undefined, quoted: true, unclosed: undefined};
  const files = await mapAll(freeze.files, async file => ({file, ...(await count(root, file, counterFor()))}));
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const header = freeze.format === 'csv' ? 1 : 0;
  return {
    bytes: sum(files.map(({bytes}) => bytes)),
    rows: sum(files.map(({records}) => records - header)),
    quoted: files.some(({quoted}) => quoted),
    unclosed: files.find(({unclosed}) => unclosed)?.file,
  };
}

async function count(root: string, file: string, counter: RecordCounter): Promise<Counted & {readonly bytes: number}> {
  let bytes = 0;
  try {
    for await (const chunk of chunksOf(root, file)) {
      counter.push(chunk);
      bytes += chunk.length;
    }
  } catch (cause) {
    if (!(cause instanceof HostileRecord)) throw cause;
    throw new InputError({file, line: cause.line, field: 'record', rule: cause.message}, {cause});
  }
  return {...counter.end(), bytes};
}
