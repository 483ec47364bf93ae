import canonicalize from 'canonicalize';
import {CompactSign, importJWK} from 'jose';
import type {Rules} from '../../shared/shapes.ts';
import {ALGORITHM, type SigningKey} from '../../shared/signing-key.ts';
import {SiteError} from './site-error.ts';

/** Signs what a site says: a value becomes a compact JWS (RFC 7515) over its RFC 8785 form. The same value is always signed the same way. */
export type Sign = (value: object) => Promise<string>;

/** The signer for the site of these rules. Throws `SiteError` where its key is another, or it names none. */
export async function signerFor(
  {base_url, signing}: Pick<Rules, 'base_url' | 'signing'>,
  jwk: SigningKey,
): Promise<Sign> {
  const place = 'see signing in data/site.json';
  if (!signing) throw new SiteError(`The signing key ${jwk.kid} is given, and the site names none: ${place}.`);
  if (signing.kid !== jwk.kid || signing.x !== jwk.x)
    throw new SiteError(`The signing key ${jwk.kid} is not that of the site, ${signing.kid}: ${place}.`);
  const key = await importJWK({...jwk}, ALGORITHM);
  const header = {alg: ALGORITHM, kid: keyUrl(base_url, jwk.kid)};
  return value => new CompactSign(new TextEncoder().encode(canonicalize(value))).setProtectedHeader(header).sign(key);
}

/** The DID URL of a key of a site (`did:web`), where clients of x402 look it up. */
export function keyUrl(origin: string, kid: string): string {
  return `did:web:${encodeURIComponent(new URL(origin).host)}#${kid}`;
}
