import {publicKeyIn, type LinkedKey} from '../../../shared/next-key.ts';
import {KEYS} from '../../../shared/paths.ts';
import {isObject, readObject} from '../untrusted-json.ts';

/** Larger than any JWK set of a site. */
export const MOST_JWKS_BYTES = 128 * 1024;

const MOST_KEYS = 101;

/**
 * Returns the signing keys in a JWK set of a site, the current one first. Ignores other keys. Throws `InputError` if it is not a JWK set.
 */
export async function keysIn(bytes: Uint8Array): Promise<LinkedKey[]> {
  const {keys} = readObject(KEYS.jwks.path, bytes);
  const listed = Array.isArray(keys) ? (keys as unknown[]).slice(0, MOST_KEYS) : [];
  const found = listed.map(async jwk => {
    if (!isObject(jwk)) return [];
    const key = await publicKeyIn(jwk);
    const signed = jwk['signed_next'];
    return key ? [{...key, ...(typeof signed === 'string' && {signed_next: signed})}] : [];
  });
  return (await Promise.all(found)).flat();
}
