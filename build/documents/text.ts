import {createHash, hash} from 'node:crypto';
import {once} from '../once.ts';

/** The text of a file: whole, or in pieces where it tells of every product and would fill the memory. */
export type Text = string | Iterable<string>;

/** What buyers can know a file by. */
export interface Fingerprint {
  /** Lower-case hex SHA-256 of its bytes. */
  readonly sha256: string;
  readonly bytes: number;
}

/** The text of a JSON document: two-space indent, one final newline. */
export function encode(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The same of the members of both, neither of which is empty; the text of the second is made once for all documents that share it. */
export function encodeShared(head: object, shared: object): string {
  const text = once(texts, shared, () => encode(shared));
  return `${encode(head).slice(0, -'\n}\n'.length)},\n${text.slice('{\n'.length)}`;
}
const texts = new WeakMap<object, string>();

/** @param take is handed every piece */
export function fingerprintOf(text: Text, take: (piece: string) => unknown = () => undefined): Fingerprint {
  if (typeof text === 'string') {
    take(text);
    return {sha256: hash('sha256', text), bytes: Buffer.byteLength(text)};
  }
  const digest = createHash('sha256');
  let bytes = 0;
  for (const piece of text) {
    digest.update(piece);
    bytes += Buffer.byteLength(piece);
    take(piece);
  }
  return {sha256: digest.digest('hex'), bytes};
}
