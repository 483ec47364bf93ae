import {canonical, sha256} from '../../shared/digest.ts';
import type {Json} from '../kinds/kind.ts';
import {hash} from 'node:crypto';

/** Lower-case hex SHA-256 of the RFC 8785 form of a document without its `sha256` member. */
export function digestOf(document: Json): string {
  return sha256(canonical(Object.fromEntries(Object.entries(document).filter(([member]) => member !== 'sha256'))));
}

/** The document with its `sha256` member, where it has one, filled in; the member keeps its place. */
export function seal(document: Json): Json {
  return 'sha256' in document ? {...document, sha256: digestOf(document)} : document;
}

/** Digest and size of a file, by which buyers recognise it. */
export interface Fingerprint {
  /** Lower-case hex SHA-256 of its bytes. */
  readonly sha256: string;
  readonly bytes: number;
}

export function fingerprintOf(content: string | Uint8Array): Fingerprint {
  return {sha256: hash('sha256', content), bytes: Buffer.byteLength(content)};
}
