import {inputChunks} from '../disk/plain-file.ts';
import {CsvRecords, type RecordStart} from './csv-records.ts';
import {pipeline} from 'node:stream';
import {createGunzip} from 'node:zlib';
import {InputError} from '../../shared/fault.ts';

/** Yields the starts of the records of a CSV file, header included. DuckDB reports the number of a record, and users need a line. */
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

/** Yields the lines of a file with their numbers (1-based), as bytes in a string (latin-1), without blank lines. */
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

/** The bytes of a file in strings (latin-1) of many complete lines. The rest after the last LF comes last. */
export async function* wholeLines(root: string, file: string): AsyncGenerator<string> {
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

const CHUNK_BYTES = 1 << 18;

/** Yields the bytes of a file, unpacked. Throws `InputError` if a gzip file is incomplete or damaged. */
export function chunksOf(root: string, file: string): AsyncGenerator<Buffer> {
  return file.endsWith('.gz') ? unzipped(root, file) : inputChunks(root, file, CHUNK_BYTES);
}

/** The first bytes of every member (RFC 1952, 2.3.1), followed by its flags. */
const MEMBER_START = Buffer.from([0x1f, 0x8b, 0x08]);
/** The only optional header field that DuckDB reads reliably: the original file name. */
const NAME_FLAG = 0x08;
const SIZE_BYTES = 4;

/**
 * The content of a gzip file (RFC 1952). Throws `InputError` if it is not gzip, is corrupt or cut off, has bytes after its end, which zlib
 * partly ignores, or has several members or optional header fields, which DuckDB cuts off or refuses.
 */
async function* unzipped(root: string, file: string): AsyncGenerator<Buffer> {
  let [bytes, size, start, end] = [0, 0, Buffer.alloc(0), Buffer.alloc(0)];
  const packed = async function* () {
    for await (const chunk of inputChunks(root, file, CHUNK_BYTES)) {
      if (start.length < MEMBER_START.length) start = Buffer.concat([start, chunk.subarray(0, 10)]);
      end = Buffer.concat([end, chunk.subarray(-SIZE_BYTES)]).subarray(-SIZE_BYTES);
      bytes += chunk.length;
      yield chunk;
    }
  };
  const gunzip = createGunzip({chunkSize: CHUNK_BYTES});
  try {
    // A broken stream throws its error in the reading loop, so the callback does nothing.
    for await (const chunk of pipeline(packed, gunzip, () => undefined) as AsyncIterable<Buffer>) {
      size += chunk.length;
      yield chunk;
    }
  } catch (cause) {
    const {code, message} = cause as NodeJS.ErrnoException;
    if (code?.startsWith('Z_') !== true) throw cause;
    const isGzip = start.subarray(0, MEMBER_START.length).equals(MEMBER_START);
    const fault = isGzip ? DAMAGED : {rule: `is not gzip: ${message}`, fix: UNPACKED};
    throw new InputError({code: 'FZ104', file, ...fault}, {cause});
  }
  // zlib stops at a zero byte after a member.
  if (gunzip.bytesWritten < bytes) throw new InputError({code: 'FZ104', file, ...DAMAGED});
  // A member ends with its own size, modulo 2^32.
  const isSingle = end.readUInt32LE() === size % 2 ** 32;
  if (isSingle && !((start[MEMBER_START.length] ?? 0) & ~NAME_FLAG)) return;
  const rule = 'has several gzip members or optional header fields';
  throw new InputError({code: 'FZ104', file, rule, fix: 'Save it again with `gunzip` and `gzip`.'});
}

const UNPACKED = 'If it is not compressed, remove `.gz` from its name, and freeze it again.';

const DAMAGED = {
  rule: 'is damaged gzip, is cut off, or has bytes after its end',
  fix: 'Download or copy it again. If its content is whole, save it again with `gzip`.',
};
