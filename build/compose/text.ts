import {createHash, hash} from 'node:crypto';

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
