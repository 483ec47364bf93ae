import {inputChunks} from '../disk/plain-file.ts';
import {unzipped} from './gzip.ts';
import {CsvRecords, type RecordStart} from './records/csv.ts';

/**
 * The starts of the records of a CSV file, header included. DuckDB reports the number of a record, and people look for a line. Throws
 * `HostileRecord` if a record is too long.
 */
export async function* recordStarts(
  root: string,
  file: string,
  delimiter: string,
  columns: number,
): AsyncGenerator<RecordStart> {
  let starts: RecordStart[] = [];
  const records = new CsvRecords(delimiter, columns, start => starts.push(start));
  for await (const chunk of chunksOf(root, file)) {
    records.push(chunk);
    yield* starts;
    starts = [];
  }
  records.end();
  yield* starts;
}

/** The lines of a file with their numbers (1-based), as bytes in a string (latin-1), blank ones left out. */
export async function* textLines(
  root: string,
  file: string,
): AsyncGenerator<{readonly line: number; readonly text: string}> {
  let line = 0;
  for await (const lines of wholeLines(root, file)) {
    for (const text of lines.replace(/\n$/, '').split('\n')) {
      line += 1;
      if (text.trim() !== '') yield {line, text: text.replace(/\r$/, '')};
    }
  }
}

/** A file's bytes in strings (latin-1), each of many lines that end at LF; what stands behind the last LF comes last. */
async function* wholeLines(root: string, file: string): AsyncGenerator<string> {
  let parts: string[] = [];
  for await (const chunk of chunksOf(root, file)) {
    const text = chunk.toString('latin1');
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) yield [...parts, text.slice(0, end)].join('');
    parts = [...(end > 0 ? [] : parts), text.slice(end)];
  }
  const rest = parts.join('');
  if (rest !== '') yield rest;
}

/** No chunk of `chunksOf` is longer. */
export const CHUNK_BYTES = 1 << 18;

/** A file's bytes, unpacked. Throws `InputError` if a gzip file is not whole gzip. */
export function chunksOf(root: string, file: string): AsyncGenerator<Buffer> {
  return file.endsWith('.gz') ? unzipped(root, file, CHUNK_BYTES) : inputChunks(root, file, CHUNK_BYTES);
}
