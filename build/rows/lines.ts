import {createReadStream} from 'node:fs';
import {join} from 'node:path';
import {pipeline, type Readable} from 'node:stream';
import {createGunzip} from 'node:zlib';
import {InputError} from '../../shared/fault.ts';

const [NEWLINE, RETURN, QUOTE] = [10, 13, 34];

/** Where a record of a CSV file starts: its offset in bytes (0-based) and its physical line (1-based). */
export interface RecordStart {
  readonly offset: number;
  readonly line: number;
}

/**
 * Where the records of a CSV file start, header included, blank lines left out. DuckDB parses; this only follows the quotes,
 * because DuckDB counts records where a person's editor counts lines.
 */
export async function* recordStarts(root: string, file: string, delimiter: string): AsyncGenerator<RecordStart> {
  const separator = delimiter.charCodeAt(0);
  let [offset, line] = [0, 1];
  let start: RecordStart | undefined;
  let [quoted, fieldStarts, quoteClosed, returned] = [false, true, false, false];
  for await (const chunk of chunksOf(root, file)) {
    for (const byte of chunk) {
      // A line ends at CR LF, at LF, and at a CR alone, which is known one byte later.
      if (returned && byte !== NEWLINE) line += 1;
      if (quoted) {
        quoteClosed = byte === QUOTE;
        quoted = !quoteClosed;
      } else if (byte === NEWLINE || byte === RETURN) {
        if (start) yield start;
        start = undefined;
      } else {
        start ??= {offset, line};
        // A quote right after a closing one is an escaped quote: the field goes on.
        quoted = byte === QUOTE && (fieldStarts || quoteClosed);
        quoteClosed = false;
      }
      if (byte === NEWLINE) line += 1;
      returned = byte === RETURN;
      fieldStarts = byte === NEWLINE || byte === RETURN || byte === separator;
      offset += 1;
    }
  }
  if (start) yield start;
}

/** The lines of a file with their numbers (1-based), as bytes in a string (latin-1), blank ones left out. */
export async function* textLines(
  root: string,
  file: string,
): AsyncGenerator<{readonly line: number; readonly text: string}> {
  let [line, rest] = [0, ''];
  for await (const chunk of chunksOf(root, file)) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      line += 1;
      if (text.trim() !== '') yield {line, text: text.replace(/\r$/, '')};
    }
  }
  if (rest.trim() !== '') yield {line: line + 1, text: rest};
}

/** A file's bytes, unpacked. Throws `InputError` where a gzip file is none, or is cut off. */
export async function* chunksOf(root: string, file: string): AsyncGenerator<Buffer> {
  const packed = createReadStream(join(root, file));
  // A broken stream ends the reading loop with its error; there is nothing else to do about it in the callback.
  const bytes: Readable = file.endsWith('.gz') ? pipeline(packed, createGunzip(), () => undefined) : packed;
  try {
    for await (const chunk of bytes) yield chunk as Buffer;
  } catch (cause) {
    if (!(cause as NodeJS.ErrnoException).code?.startsWith('Z_')) throw cause;
    throw new InputError({file, rule: `is not gzip: ${(cause as Error).message}`}, {cause});
  }
}
