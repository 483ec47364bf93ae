import {createWriteStream} from 'node:fs';
import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {pipeline, Writable} from 'node:stream';
import {pipeline as copy} from 'node:stream/promises';
import {createGunzip} from 'node:zlib';
import {InputError} from '../../shared/fault.ts';
import {inputChunks} from '../disk/plain-file.ts';
import type {Freeze} from '../read/freezes.ts';

/** RFC 1952, 2.3.1: every member starts so, followed by its flags. */
const MEMBER_START = Buffer.from([0x1f, 0x8b, 0x08]);
/** The only flag that DuckDB reads without fail: the original file name. */
const NAME_FLAG = 0x08;

/**
 * The content of a gzip file: all of its members (RFC 1952). Throws `InputError` if it is not gzip, is corrupt or cut off, or has bytes
 * after its last member, which zlib ignores in part.
 *
 * @param chunkBytes no chunk is longer
 */
export async function* unzipped(root: string, file: string, chunkBytes: number): AsyncGenerator<Buffer> {
  let [bytes, start] = [0, Buffer.alloc(0)];
  const packed = async function* () {
    for await (const chunk of inputChunks(root, file, chunkBytes)) {
      if (start.length < MEMBER_START.length) start = Buffer.concat([start, chunk.subarray(0, 10)]);
      bytes += chunk.length;
      yield chunk;
    }
  };
  const gunzip = createGunzip({chunkSize: chunkBytes});
  try {
    // A broken stream ends the reading loop with its error; there is nothing else to do about it in the callback.
    yield* pipeline(packed, gunzip, () => undefined) as AsyncIterable<Buffer>;
  } catch (cause) {
    const {code, message} = cause as NodeJS.ErrnoException;
    if (code?.startsWith('Z_') !== true) throw cause;
    const isGzip = start.subarray(0, MEMBER_START.length).equals(MEMBER_START);
    const isOdd = isGzip && code === 'Z_BUF_ERROR' && (await isWholeWithoutLastByte(root, file, chunkBytes));
    throw new InputError({file, rule: isOdd ? TRAILING : gzipRule(message, isGzip, code)}, {cause});
  }
  // zlib stops at a zero byte after a member.
  if (gunzip.bytesWritten < bytes) throw new InputError({file, rule: TRAILING});
}

const TRAILING =
  'has bytes after the end of its gzip data: it may be damaged; if the content is whole, save it again with `gzip`';

function gzipRule(message: string, isGzip: boolean, code: string): string {
  if (!isGzip) return `is not gzip: ${message}`;
  // The file starts as gzip does, so this is about what follows a member.
  if (message === 'incorrect header check' || message === 'unknown compression method') return TRAILING;
  return code === 'Z_BUF_ERROR'
    ? 'is cut off in the middle of its gzip data: download or copy it again'
    : `is corrupt gzip (${message}): download or copy it again`;
}

/** True if the file is whole gzip and one byte, such as a line end: zlib takes that byte for the start of another member. */
async function isWholeWithoutLastByte(root: string, file: string, chunkBytes: number): Promise<boolean> {
  const withoutLast = async function* () {
    let held: Buffer | undefined;
    for await (const chunk of inputChunks(root, file, chunkBytes)) {
      if (held) yield held;
      held = chunk;
    }
    if (held) yield held.subarray(0, -1);
  };
  try {
    await copy(withoutLast, createGunzip(), nowhere());
    return true;
  } catch {
    return false;
  }
}

/** A stream that drops all chunks. */
function nowhere(): Writable {
  return new Writable({
    write(...[, , done]) {
      done();
    },
  });
}

/**
 * A freeze that DuckDB can read: the same one, or, if a file is gzip that DuckDB's own reader may refuse or cut short (several members,
 * optional header fields), one with unpacked copies of its files below a scratch folder, which the caller removes.
 */
export async function readableFreeze(root: string, freeze: Freeze, scratch: string): Promise<Freeze> {
  if (freeze.unpacked || !freeze.files[0]?.endsWith('.gz')) return freeze;
  let isPlain = true;
  for (const file of freeze.files) isPlain &&= await isPlainGzip(root, file);
  if (isPlain) return freeze;
  const folder = join(scratch, freeze.folder);
  await mkdir(folder, {recursive: true});
  const unpacked: string[] = [];
  for (const [index, file] of freeze.files.entries()) {
    const path = join(folder, String(index));
    await copy(unzipped(root, file, COPY_BYTES), createWriteStream(path));
    unpacked.push(path);
  }
  return {...freeze, unpacked};
}

const COPY_BYTES = 1 << 18;

/** True of one member whose header has no optional field but a name. Compressed bytes that look like another start count as one. */
async function isPlainGzip(root: string, file: string): Promise<boolean> {
  let tail = Buffer.alloc(0);
  let isFirst = true;
  for await (const chunk of inputChunks(root, file, COPY_BYTES)) {
    const bytes = Buffer.concat([tail, chunk]);
    if (isFirst && (bytes[MEMBER_START.length] ?? 0) & ~NAME_FLAG) return false;
    if (bytes.includes(MEMBER_START, isFirst ? 1 : 0)) return false;
    tail = bytes.subarray(-(MEMBER_START.length - 1));
    isFirst = false;
  }
  return true;
}
