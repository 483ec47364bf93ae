import {createHmac} from 'node:crypto';
import {canonical} from '../../../shared/digest.ts';
import type {Json} from '../kind.ts';

/**
 * Lower-case hex HMAC-SHA-256 of the RFC 8785 form of `{payload, type}`; the key is the UTF-8 of `pubkeyHint`. A demo scheme:
 * anybody who reads the hint can sign.
 */
export function signature(event: {readonly type: string; readonly payload: Json}, pubkeyHint: string): string {
  return createHmac('sha256', pubkeyHint)
    .update(canonical({payload: event.payload, type: event.type}))
    .digest('hex');
}
