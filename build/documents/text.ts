import {hash} from 'node:crypto';

/** Digest and size of a file, by which buyers recognise it. */
export interface Fingerprint {
  /** Lower-case hex SHA-256 of its bytes. */
  readonly sha256: string;
  readonly bytes: number;
}

export function fingerprintOf(content: string | Uint8Array): Fingerprint {
  return {sha256: hash('sha256', content), bytes: Buffer.byteLength(content)};
}
