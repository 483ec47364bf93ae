import {createHmac, hash} from 'node:crypto';
import canonicalize from 'canonicalize';
import {configure} from 'safe-stable-stringify';
import type {Json} from './kind.ts';

/** JSON Schema of a SHA-256 digest: 64 lower-case hexadecimal digits. */
export const digest = {type: 'string', pattern: '^[0-9a-f]{64}$'} as const;

/** Lower-case hex SHA-256 of text (as UTF-8) or bytes. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data);
}

/**
 * Lower-case hex HMAC-SHA-256 of the RFC 8785 form of `{payload, type}`; the key is the UTF-8 of `pubkeyHint`. A demo scheme:
 * anybody who reads the hint can sign.
 */
export function signature(event: {readonly type: string; readonly payload: Json}, pubkeyHint: string): string {
  return createHmac('sha256', pubkeyHint)
    .update(canonical({payload: event.payload, type: event.type}))
    .digest('hex');
}

/** Lower-case hex SHA-256 of the RFC 8785 form of a document without its `sha256` member. */
export function digestOf(document: Json): string {
  return sha256(canonical(withoutDigest(document)));
}

/** The document with its `sha256` member, which keeps its place, filled in. */
export function seal(document: Json): Json {
  return 'sha256' in document ? {...document, sha256: sha256(sorted(withoutDigest(document)))} : document;
}

/** Gives RFC 8785, too, in less than half the time; whatever is sealed with it is checked by `digestOf` before it is written. */
const sorted = configure({strict: true}) as (value: object) => string;

function withoutDigest(document: Json): Json {
  return Object.fromEntries(Object.entries(document).filter(([member]) => member !== 'sha256'));
}

function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('a value that JSON cannot hold');
  return text;
}
