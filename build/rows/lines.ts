import {inputChunks} from '../disk/plain-file.ts';
import {unzipped} from './gzip.ts';

/** Where a record of a CSV file starts: its offset in bytes (0-based) and its physical line (1-based). */
export interface RecordStart {
  readonly offset: number;
  readonly line: number;
}

/**
 * Where the records of a CSV file start, header included, blank lines left out. DuckDB parses; this only follows the quotation marks,
 * because DuckDB counts records where a person's editor counts lines.
 */
export async function* recordStarts(root: string, file: string, delimiter: string): AsyncGenerator<RecordStart> {
  let [offset, line, quoted] = [0, 1, false];
  for await (const lines of wholeLines(root, file)) {
    // A line ends at CR LF, at LF, and at a CR alone.
    for (const text of lines.split(/(?<=\n|\r(?!\n))/)) {
      if (!quoted && /[^\r\n]/.test(text)) yield {offset, line};
      quoted = endsQuoted(text, quoted, delimiter);
      offset += text.length;
      line += 1;
    }
  }
}

/** Whether lines of CSV end within a quoted value, where they begin in one or not. DuckDB passes over spaces before one. */
function endsQuoted(lines: string, quoted: boolean, delimiter: string): boolean {
  let isQuoted = quoted;
  for (let mark = lines.indexOf('"'); mark >= 0; mark = lines.indexOf('"', mark + 1)) {
    // A quotation mark after a closing one is an escaped one.
    if (isQuoted && lines[mark + 1] === '"') mark += 1;
    else if (isQuoted) isQuoted = false;
    else {
      let before = mark - 1;
      while (lines[before] === ' ') before -= 1;
      isQuoted = before < 0 || ['\n', '\r', delimiter].includes(lines[before] ?? '');
    }
  }
  return isQuoted;
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
