import {hash} from 'node:crypto';
import canonicalize from 'canonicalize';

/** JSON Schema of a SHA-256 digest: 64 lower-case hexadecimal digits. */
export const digest = {type: 'string', pattern: '^[0-9a-f]{64}$'} as const;

/** Returns the lower-case hex SHA-256 of text (as UTF-8) or bytes. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data);
}

/** Returns the RFC 8785 form of a JSON value: members sorted, no white space. */
export function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('a value that JSON cannot hold');
  return text;
}

/** Returns the lower-case hex SHA-256 of the RFC 8785 form of a document without its member `sha256`. */
export function digestOf(document: Readonly<Record<string, unknown>>): string {
  return sha256(canonical(Object.fromEntries(Object.entries(document).filter(([member]) => member !== 'sha256'))));
}

/** Returns the document with its member `sha256`, if it has one, filled in at the same position. */
export function seal(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return 'sha256' in document ? {...document, sha256: digestOf(document)} : document;
}

/** Digest and size of a file. */
export interface Fingerprint {
  /** Lower-case hex SHA-256 of its bytes. */
  readonly sha256: string;
  readonly bytes: number;
}

/** @param content bytes, or a text, which is encoded as UTF-8 */
export function fingerprintOf(content: string | Uint8Array): Fingerprint {
  return {sha256: sha256(content), bytes: Buffer.byteLength(content)};
}
