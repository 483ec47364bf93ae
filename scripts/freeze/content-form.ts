import {createReadStream} from 'node:fs';
import {join} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {chunksOf} from '../../build/rows/lines.ts';
import type {FileForm} from './file-name.ts';

/** How much of a file's beginning is looked at: a header must end within it. */
export const HEAD_BYTES = 1 << 18;

const GZIP = 'gzip';

const SIGNATURES: readonly (readonly [hex: string, what: string])[] = [
  ['50415231', 'Parquet'],
  ['1f8b', GZIP],
  ['504b0304', 'a ZIP archive, as a spreadsheet is: save it as CSV'],
  ['d0cf11e0', 'an old spreadsheet: save it as CSV'],
  ['25504446', 'PDF'],
  ['53514c69746520666f726d6174', 'an SQLite database'],
  ['28b52ffd', 'Zstandard: unpack it, or pack it with gzip'],
  ['425a68', 'bzip2: unpack it, or pack it with gzip'],
  ['fd377a585a00', 'xz: unpack it, or pack it with gzip'],
  ['fffe', 'UTF-16: save it as UTF-8'],
  ['feff', 'UTF-16: save it as UTF-8'],
];

const EXPECTED = {csv: 'CSV', ndjson: 'NDJSON', json: 'a JSON array', parquet: 'Parquet'} as const;

/**
 * The beginning of a file, unpacked, once it is known to be what its name says. Throws `InputError` where it is something else.
 *
 * @param file below the root; one whose name ends in `.gz` is unpacked
 * @param origin as messages call it
 */
export async function headOf(root: string, file: string, origin: string, {format, gzip}: FileForm): Promise<Buffer> {
  const refused = (expected: string, what = '') =>
    new InputError({file: origin, rule: `is not ${expected}, as its name says${what && `, but ${what}`}`});
  if (gzip) {
    const packed = await beginning(createReadStream(join(root, file), {end: 15}));
    if (signatureOf(packed) !== GZIP) throw refused('gzip', signatureOf(packed));
  }
  const head = await unpacked(root, file, origin);
  if (head.length === 0) throw new InputError({file: origin, rule: 'is empty'});
  const what = signatureOf(head) ?? (format === 'parquet' ? 'text or something unknown' : strangeText(head, format));
  if (what === undefined || what === EXPECTED[format]) return head;
  throw refused(EXPECTED[format], what);
}

function signatureOf(head: Buffer): string | undefined {
  const start = head.subarray(0, 16).toString('hex');
  return SIGNATURES.find(([hex]) => start.startsWith(hex))?.[1];
}

/** What a text is that is not of its format, as far as its first characters tell. */
function strangeText(head: Buffer, format: 'csv' | 'ndjson' | 'json'): string | undefined {
  const marked = head.subarray(0, 3).toString('hex') === 'efbbbf';
  if (marked && format !== 'csv') return 'text with a byte order mark, which JSON must not have: save it without';
  if (head.subarray(0, 1024).includes(0)) return 'something binary';
  const first = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
    .charAt(0);
  if (first === '<') return 'HTML or XML';
  if (first === '[' && format !== 'json') return 'JSON: name an array .json';
  if (first === '{' && format !== 'ndjson') return 'JSON: name objects, one a line, .ndjson';
  return (first === '[' || first === '{') === (format !== 'csv') ? undefined : 'another text';
}

async function unpacked(root: string, file: string, origin: string): Promise<Buffer> {
  try {
    return await beginning(chunksOf(root, file));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(
      error.faults.map(fault => ({...fault, file: origin})),
      {cause: error},
    );
  }
}

async function beginning(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= HEAD_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, HEAD_BYTES);
}
