import {crc32, deflateRawSync, gzipSync} from 'node:zlib';

/** The optional fields of a member's header (RFC 1952, 2.3.1). */
interface Header {
  readonly text?: boolean;
  readonly extra?: Uint8Array;
  readonly name?: string;
  readonly comment?: string;
  readonly crc?: boolean;
}

/** Returns a gzip member with these fields in its header. */
export function member(content: string, {text = false, extra, name, comment, crc = false}: Header = {}): Buffer {
  const flags = Number(text) + 2 * Number(crc) + (extra ? 4 : 0) + (name === undefined ? 0 : 8);
  const length = Buffer.alloc(2);
  length.writeUInt16LE(extra?.length ?? 0);
  const header = Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, flags + (comment === undefined ? 0 : 16), 0, 0, 0, 0, 0, 255]),
    ...(extra ? [length, extra] : []),
    ...[name, comment].flatMap(field => (field === undefined ? [] : [Buffer.from(`${field}\0`, 'latin1')])),
  ]);
  const check = Buffer.alloc(2);
  check.writeUInt16LE(crc32(header) & 0xffff);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc32(content), 0);
  end.writeUInt32LE(Buffer.byteLength(content), 4);
  return Buffer.concat([header, ...(crc ? [check] : []), deflateRawSync(content), end]);
}

/**
 * Returns a content in many short members, as bgzip writes it: each has its length in an extra field, and the last one
 * is empty.
 */
function blocks(content: string, length: number): Buffer {
  const extra = Buffer.from([66, 67, 2, 0, 0, 0]);
  const parts = content.match(new RegExp(`.{1,${length}}`, 'gs')) ?? [];
  return Buffer.concat([...parts, ''].map(part => member(part, {extra})));
}

/** Gzip files with the same content, by their special property. `gzip -t` accepts all of them, and DuckDB does not. */
export const oddGzips = (content: string): Readonly<Record<string, Buffer>> => ({
  'a comment': member(content, {comment: 'the list'}),
  'an extra field': member(content, {extra: Buffer.from('AB\x02\x00xy', 'latin1')}),
  'a header checksum': member(content, {crc: true}),
  'all of them': member(content, {text: true, extra: Buffer.alloc(0), name: 'list.csv', comment: 'x', crc: true}),
  'two members': Buffer.concat([gzipSync(content.slice(0, 30)), gzipSync(content.slice(30))]),
  'a second member with a comment': Buffer.concat([
    gzipSync(content.slice(0, 30)),
    member(content.slice(30), {comment: 'the rest', crc: true}),
  ]),
  'many members': blocks(content, 20),
});
