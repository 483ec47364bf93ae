import {hash} from 'node:crypto';
import canonicalize from 'canonicalize';

/** JSON Schema of a SHA-256 digest: 64 lower-case hexadecimal digits. */
export const digest = {type: 'string', pattern: '^[0-9a-f]{64}$'} as const;

/** Lower-case hex SHA-256 of text (as UTF-8) or bytes. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data);
}

/** RFC 8785 form of a JSON value: members sorted, no white space. */
export function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('a value that JSON cannot hold');
  return text;
}
