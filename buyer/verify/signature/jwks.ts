import {publicKeyIn, type LinkedKey} from '../../../shared/next-key.ts';
import {KEYS} from '../../../shared/paths.ts';
import {isObject, readObject} from '../untrusted-json.ts';

/** Larger than any JWK set of a site. */
export const MOST_JWKS_BYTES = 128 * 1024;

const MOST_KEYS = 101;

/** A key with the end of its last day, in seconds since 1970, if it is a former one. */
export interface DatedKey extends LinkedKey {
  readonly exp?: number;
}

/**
 * Returns the signing keys in a JWK set of a site, the current one first. Ignores other keys. Throws `InputError` if it is not a JWK set.
 */
export async function keysIn(bytes: Uint8Array): Promise<DatedKey[]> {
  const {keys} = readObject(KEYS.jwks.path, bytes);
  const listed = Array.isArray(keys) ? (keys as unknown[]).slice(0, MOST_KEYS) : [];
  const found = listed.map(async jwk => {
    if (!isObject(jwk)) return [];
    const key = await publicKeyIn(jwk);
    const {signed_next, exp} = jwk;
    const dated = {...(typeof signed_next === 'string' && {signed_next}), ...(typeof exp === 'number' && {exp})};
    return key ? [{...key, ...dated}] : [];
  });
  return (await Promise.all(found)).flat();
}
